(* flags: -w -a -thread *)
(* packages: unix threads.posix *)
(* Loops that wait for another thread: threads are switched where a loop polls. *)
type box = { mutable full : bool; mutable value : int }
let box = { full = false; value = 0 }
let ready = ref false

let () =
  let producer =
    Thread.create
      (fun () ->
        for i = 1 to 3 do
          while box.full do () done;
          box.value <- i * i;
          box.full <- true
        done)
      ()
  in
  for _ = 1 to 3 do
    let before = box.value in
    while not box.full do () done;
    Printf.printf "%d %b\n" box.value (box.value >= before);
    box.full <- false
  done;
  Thread.join producer;
  let t = Thread.create (fun () -> ready := true) () in
  let rec wait n = if !ready then n else wait (n + 1) in
  ignore (wait 0);
  Thread.join t;
  print_endline "ready"
