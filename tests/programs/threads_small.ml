(* flags: -w -a -thread *)
(* packages: unix threads.posix *)
(* Threads, mutexes, conditions, events and exceptions in threads; the results do not depend on scheduling. *)
let m = Mutex.create ()
let shared = ref 0 and fl = ref 0. and log = ref []
let with_lock f = Mutex.lock m; match f () with v -> Mutex.unlock m; v | exception e -> Mutex.unlock m; raise e
let work id = for i = 1 to 300 do with_lock (fun () -> shared := !shared + i; fl := !fl +. 0.5); if i mod 100 = 0 then Thread.yield () done; with_lock (fun () -> log := id :: !log)
module Chan = struct type 'a t = { q : 'a Queue.t; m : Mutex.t; c : Condition.t } let create () = { q = Queue.create (); m = Mutex.create (); c = Condition.create () } let put t x = Mutex.lock t.m; Queue.add x t.q; Condition.signal t.c; Mutex.unlock t.m let get t = Mutex.lock t.m; while Queue.is_empty t.q do Condition.wait t.c t.m done; let x = Queue.pop t.q in Mutex.unlock t.m; x end
let () =
  let ts = List.init 5 (fun i -> Thread.create work i) in List.iter Thread.join ts; Printf.printf "%d %g %d\n" !shared !fl (List.fold_left ( + ) 0 !log);
  let c = Chan.create () and r = Chan.create () in let consumer = Thread.create (fun () -> let rec go acc = match Chan.get c with Some x -> go (acc + x) | None -> Chan.put r acc in go 0) () in for i = 1 to 200 do Chan.put c (Some i) done; Chan.put c None; Printf.printf "%d\n" (Chan.get r); Thread.join consumer;
  let caught = ref 0 in let t = Thread.create (fun () -> try for i = 0 to 10 do if i = 5 then raise Exit; ignore (Sys.opaque_identity (ref i)) done with Exit -> caught := 5) () in Thread.join t; Printf.printf "%d\n" !caught;
  let ch = Event.new_channel () in let t = Thread.create (fun () -> Event.sync (Event.send ch "event")) () in print_endline (Event.sync (Event.receive ch)); Thread.join t; let cell = Array.make 4 0. in let ts = List.init 4 (fun i -> Thread.create (fun () -> let acc = ref 0. in for k = 1 to 2000 do acc := !acc +. (float k *. float i) done; cell.(i) <- !acc) ()) in List.iter Thread.join ts; Array.iter (Printf.printf "%g ") cell; print_newline (); let once = ref false in let t = Thread.create (fun () -> once := true; Thread.exit ()) () in Thread.join t; Printf.printf "%b\n" !once
