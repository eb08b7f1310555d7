(* ocaml: >= 5.0, which has effects *)
(* flags: -w -a *)
(* Deep and shallow handlers, effects that pass through handlers, exceptions through them, continuations that are dropped,
   resumed twice or ended by an exception; all of it through functions that are inlined, specialised and unboxed. *)
open Effect
module D = Effect.Deep
module S = Effect.Shallow
type _ Effect.t += Ask : string -> int Effect.t | Tell : int -> unit Effect.t | Stop : 'a Effect.t | Choose : bool Effect.t
let o = Sys.opaque_identity
let p fmt = Printf.printf (fmt ^^ "\n%!")
let ask s = perform (Ask s)
let tell n = perform (Tell n)

(* A state in a deep handler: the handler returns a function. *)
let run_state (type r) init (f : unit -> r) : r * int =
  D.match_with f () {
    retc = (fun x s -> (x, s));
    exnc = (fun e s -> p "exception with state %d" s; raise e);
    effc = (fun (type a) (e : a Effect.t) : ((a, int -> r * int) D.continuation -> int -> r * int) option ->
      match e with
      | Ask "state" -> Some (fun k s -> D.continue k s s)
      | Tell n -> Some (fun k _ -> D.continue k () n)
      | _ -> None) } init
let counter n = let r = ref 0. in for i = 1 to n do tell (ask "state" + i); r := !r +. float (ask "state") /. 2. done; !r
let () =
  let x, s = run_state 10 (fun () -> counter (o 5)) in
  p "%g %d" x s;
  (match run_state 1 (fun () -> tell 7; if o true then failwith "inside"; 3) with
   | _ -> p "no" | exception Failure m -> p "%s" m)

(* Effects pass through handlers that do not know them. *)
let logging f =
  let log = Buffer.create 10 in
  let r = D.try_with f () { effc = (fun (type a) (e : a Effect.t) -> match e with
    | Tell n -> Some (fun (k : (a, _) D.continuation) -> Buffer.add_string log (string_of_int n); D.continue k ())
    | _ -> None) } in
  (r, Buffer.contents log)
let asking v f = D.try_with f () { effc = (fun (type a) (e : a Effect.t) -> match e with
    | Ask s -> Some (fun (k : (a, _) D.continuation) -> D.continue k (v + String.length s))
    | _ -> None) }
let () =
  let (a, l) = asking 100 (fun () -> logging (fun () -> tell 1; let a = ask "ab" in tell 2; let b = asking 5 (fun () -> tell 3; ask "") in a + b)) in
  p "%d %s" a l;
  (match ask "nobody" with _ -> p "no" | exception Unhandled (Ask s) -> p "unhandled %s" s);
  (match asking 1 (fun () -> perform Stop) with (_ : int) -> p "no" | exception Unhandled Stop -> p "unhandled stop")

(* Exceptions through handlers, and handlers in the functions that perform. *)
let guarded f = try f () with Not_found -> -1
let () =
  let r = asking 3 (fun () -> guarded (fun () -> let a = ask "abc" in if a = o 6 then raise Not_found else a)) in
  p "%d" r;
  let stopped = ref [] in
  let r = D.match_with (fun () -> Fun.protect ~finally:(fun () -> stopped := "finally" :: !stopped) (fun () ->
      try ignore (ask "x"); 1 with Exit -> stopped := "exit" :: !stopped; ask "again" + 1)) ()
    { retc = Fun.id; exnc = raise; effc = (fun (type a) (e : a Effect.t) -> match e with
        | Ask "x" -> Some (fun (k : (a, _) D.continuation) -> D.discontinue k Exit)
        | Ask _ -> Some (fun (k : (a, _) D.continuation) -> D.continue k 41)
        | _ -> None) } in
  p "%d %s" r (String.concat "," !stopped)

(* A continuation is used once. *)
let () =
  let saved = ref None in
  let r = D.match_with (fun () -> ask "save" * 2) () { retc = (fun x -> x); exnc = raise;
    effc = (fun (type a) (e : a Effect.t) -> match e with
      | Ask _ -> Some (fun (k : (a, int) D.continuation) -> saved := Some (Obj.repr k); D.continue k 21)
      | _ -> None) } in
  p "%d" r;
  match !saved with
  | None -> p "no"
  | Some k -> (match D.continue (Obj.obj k : (int, int) D.continuation) 1 with
      | n -> p "twice %d" n | exception Continuation_already_resumed -> p "already resumed")

(* Shallow handlers: a generator, and a consumer that takes turns with it. *)
let rec generate : int -> (unit, unit) S.continuation -> int list -> int list = fun n k acc ->
  S.continue_with k () {
    retc = (fun () -> List.rev acc); exnc = raise;
    effc = (fun (type a) (e : a Effect.t) -> match e with
      | Tell x -> Some (fun (k : (a, _) S.continuation) -> if n = 0 then List.rev acc else generate (n - 1) k (x :: acc))
      | _ -> None) }
let () =
  let producer () = let rec loop a b = tell a; loop b (a + b) in loop 0 1 in
  p "%s" (String.concat " " (List.map string_of_int (generate (o 12) (S.fiber producer) [])))

(* Iterators turned into sequences; floats and records across performs. *)
let to_seq (iter : (float -> unit) -> unit) : float Seq.t =
  let module M = struct type _ Effect.t += Yield : float -> unit Effect.t end in
  fun () -> D.match_with iter (fun x -> perform (M.Yield x)) {
    retc = (fun () -> Seq.Nil); exnc = raise;
    effc = (fun (type a) (e : a Effect.t) -> match e with
      | M.Yield x -> Some (fun (k : (a, _) D.continuation) -> Seq.Cons (x, fun () -> D.continue k ()))
      | _ -> None) }
type vec = { x : float; y : float }
let () =
  let s = to_seq (fun f -> let acc = ref 0.5 in for i = 1 to 6 do acc := !acc *. 1.5; f !acc; acc := !acc -. float i done) in
  p "%s" (String.concat " " (List.map (Printf.sprintf "%g") (List.of_seq s)));
  let sum = asking 2 (fun () ->
    let rec go n v = if n = 0 then v else go (n - 1) { x = v.x +. float (ask "v"); y = v.y *. 1.25 } in
    let v = go (o 4) { x = 0.; y = 1. } in v.x +. v.y) in
  p "%g" sum

(* Both ways, by performing in the handler of another. *)
let choose_all f =
  let results = ref [] in
  let rec schedule (path : bool list) =
    let rest = ref path and extra = ref [] in
    let r = D.match_with f () { retc = (fun x -> Some x); exnc = (fun _ -> None);
      effc = (fun (type a) (e : a Effect.t) -> match e with
        | Choose -> Some (fun (k : (a, _) D.continuation) -> match !rest with
            | b :: more -> rest := more; D.continue k b
            | [] -> extra := true :: !extra; D.continue k true)
        | _ -> None) } in
    Option.iter (fun x -> results := x :: !results) r;
    if !extra <> [] then List.iteri (fun i _ -> schedule (path @ List.init i (fun _ -> true) @ [ false ])) !extra
  in
  schedule []; List.sort compare !results
let () =
  let f () = let a = if perform Choose then 1 else 2 in let b = if perform Choose then 10 else 20 in if a = 2 && b = 20 then failwith "none" else a + b in
  p "%s" (String.concat " " (List.map string_of_int (choose_all f)))
