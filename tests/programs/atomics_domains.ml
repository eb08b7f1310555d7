(* ocaml: >= 5.0, which has domains *)
(* flags: -w -a *)
(* Domains that share atomics, and plain data that they publish by them. All that is printed is the same in any order of
   events that OCaml's memory model allows. *)
let o = Sys.opaque_identity
let p fmt = Printf.printf (fmt ^^ "\n%!")
let domains n f = List.init n (fun i -> Domain.spawn (fun () -> f i)) |> List.map Domain.join

let () = let a = Atomic.make 0 in ignore (domains 4 (fun _ -> for _ = 1 to 50_000 do Atomic.incr a done)); p "%d" (Atomic.get a)

(* Compare-and-set on boxes: each is its own. *)
let () =
  let total = Atomic.make 0. in
  let rec add x = let old = Atomic.get total in if not (Atomic.compare_and_set total old (old +. x)) then add x in
  ignore (domains 4 (fun i -> for _ = 1 to 10_000 do add (float (i + 1)) done));
  p "%g" (Atomic.get total)

(* Publishing: what was written before the flag is seen after it, in a loop that waits without any call. *)
type message = { mutable a : int; mutable b : float; mutable c : string list }
let () =
  let bad = domains 1 (fun _ ->
    let m = { a = 0; b = 0.; c = [] } and flag = Atomic.make 0 in
    let reader = Domain.spawn (fun () ->
      let bad = ref 0 in
      for round = 1 to 200 do
        let before = m.a in
        while Atomic.get flag <> (2 * round) - 1 do () done;
        if m.a <> round || m.b <> float round || m.c <> [ string_of_int round ] || before > m.a then incr bad;
        Atomic.set flag (2 * round)
      done; !bad) in
    for round = 1 to 200 do
      m.a <- round; m.b <- float round; m.c <- [ string_of_int round ];
      Atomic.set flag ((2 * round) - 1);
      while Atomic.get flag <> 2 * round do () done
    done;
    Domain.join reader) in
  p "%d" (List.fold_left ( + ) 0 bad)

(* A stack without locks. *)
type 'a node = Nil | Cons of 'a * 'a node
let () =
  let stack = Atomic.make Nil in
  let rec push x = let old = Atomic.get stack in if not (Atomic.compare_and_set stack old (Cons (x, old))) then push x in
  let rec pop () = match Atomic.get stack with Nil -> None | Cons (x, rest) as old -> if Atomic.compare_and_set stack old rest then Some x else pop () in
  let popped = domains 4 (fun i ->
    let sum = ref 0 in
    for k = 1 to 5_000 do push ((i * 5_000) + k); if k land 1 = 0 then match pop () with Some x -> sum := !sum + x | None -> () done; !sum) in
  let rec rest acc = match pop () with None -> acc | Some x -> rest (acc + x) in
  p "%d" (List.fold_left ( + ) (rest 0) popped)

(* Exchange, fetch and add, and values that are local to a domain. *)
let key = Domain.DLS.new_key (fun () -> ref 0)
let () =
  let a = Atomic.make 5 in
  let x = Atomic.exchange a 7 in let y = Atomic.fetch_and_add a 3 in
  p "%d %d %d" x y (Atomic.get a);
  Domain.DLS.get key := 1;
  let others = domains 3 (fun i -> let r = Domain.DLS.get key in for _ = 0 to i do incr r; Domain.cpu_relax () done; !(Domain.DLS.get key)) in
  p "%s %d" (String.concat " " (List.map string_of_int others)) !(Domain.DLS.get key)

(* Domains that allocate, while others collect and compact; closures of the toplevel run by other domains. *)
let table = Array.init 100 (fun i -> [ float i ])
let grow i = table.(i) <- float i :: table.(i)
let () =
  let sizes = domains 4 (fun d ->
    let acc = ref [] in
    for k = 1 to 20_000 do
      acc := (k, float k) :: (if k land 1023 = 0 then [] else !acc);
      if k mod 5_000 = 0 then (if d = 0 then Gc.full_major () else if d = 1 then Gc.compact () else Gc.minor ());
      if k mod 200 = 0 then for i = d * 25 to (d * 25) + 24 do grow i done
    done;
    List.length !acc + List.fold_left (fun n (_, x) -> n + int_of_float x land 1) 0 !acc) in
  p "%s" (String.concat " " (List.map string_of_int sizes));
  p "%d" (Array.fold_left (fun n l -> n + List.length l) 0 table)

(* What the toplevel makes is there for domains that it starts in its middle. *)
let early = [ 1; 2; 3 ]
let seen = Domain.join (Domain.spawn (fun () -> List.length early))
let late = seen + 1
let () = p "%d %d" seen (Domain.join (Domain.spawn (fun () -> late)))

(* A lazy value that two domains force: one of them does, the other may be refused. *)
let () =
  let l = lazy (Array.fold_left (+) 0 (Array.init 1000 Fun.id)) in
  let r = domains 3 (fun _ -> let rec go () = match Lazy.force l with n -> n | exception Lazy.Undefined -> Domain.cpu_relax (); go () in go ()) in
  p "%s" (String.concat " " (List.map string_of_int r))
