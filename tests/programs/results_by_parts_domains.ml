(* ocaml: >= 5.0, which has domains and effects *)
(* flags: -w -a *)
(* packages: unix *)
(* bytecode: unstable, the stock compiler's crashes one time in a hundred (5.3.0) *)
(* Results by parts where everything runs at once: domains that collect and compact all the time, handlers of signals
   and finalisers that call such functions too, fibers that give way inside of them, exceptions, and functions of more
   arguments than there are registers, whose arguments are where the parts of results are. What is printed depends on
   none of it. The heap is compacted once no signals come any more: with both at once the stock compiler's program
   crashes, too, one time in some hundreds (5.3.0). *)
open Effect
open Effect.Deep

type shape = Empty | Unknown | Circle of float | Rectangle of { width : float; height : float } | Named of string * shape

let domains = 3
let ticks = Atomic.make 0
let compacting = Atomic.make false

(* Runs inside of functions that return parts, before they do. *)
let touch n =
  if n land 255 = 7 then Gc.minor () else if n land 1023 = 9 && Atomic.get compacting then Gc.compact ();
  if n land 63 = 3 then Atomic.incr ticks

let[@inline never] divide a b = if b = 0 then (0, 0) else (a / b, a mod b)
let[@inline never] text n = touch n; (string_of_int n, "<" ^ string_of_int (n * n) ^ ">")
let[@inline never] find n = touch n; if n mod 3 = 0 then None else Some (string_of_int n)
let[@inline never] mixed n = touch n; (n, float_of_int n *. 0.5, string_of_int n, Int64.of_int (n + 1))

let[@inline never] classify n =
  touch n;
  match n mod 5 with
  | 0 -> Empty
  | 1 -> Unknown
  | 2 -> Circle (float_of_int n)
  | 3 -> Rectangle { width = float_of_int n; height = 2. }
  | _ -> Named (string_of_int n, Circle 1.)

let rec sums l = match l with [] -> (0, 0.) | x :: l -> let n, s = sums l in touch n; (n + 1, s +. x)
let[@inline never] raises n = if n mod 4 = 3 then raise Exit else (n, string_of_int n)
let rec nested n = if n = 0 then ("", []) else let s, l = nested (n - 1) in (s ^ string_of_int n, s :: l)

(* Some of the arguments, and of the results, have the same place. *)
let[@inline never] many a b c d e f g h i j k l m n o x y z =
  touch a;
  (a + b + c + d + e + f + g + h + i + j + k + l, m ^ n ^ o, x +. y +. z, [ m; n ])

let[@inline never] many_floats a b c d e f g h i j k l = (a +. b +. c +. d +. e +. f, g +. h +. i, j +. k, l)

type _ Effect.t += Ask : int -> int Effect.t | Yield : unit Effect.t

let[@inline never] asked n =
  let a = perform (Ask n) in
  let s, t = text a in
  perform Yield;
  (a, s ^ t, float_of_int (String.length t))

let[@inline never] asked_option n = if n land 1 = 0 then None else (perform Yield; Some (perform (Ask n) + 1, n))

let area = function
  | Empty | Unknown -> 0.
  | Circle r -> 3. *. r *. r
  | Rectangle { width; height } -> width *. height
  | Named (_, Circle r) -> r
  | Named _ -> 1.

let step total i =
  let add n = total := ((!total * 31) + n) land 0xffffffff in
  let q, r = divide (i * i) (i mod 7) in
  add (q - r);
  let s, t = text i in
  add (String.length s + Hashtbl.hash t);
  (match find i with None -> add 1 | Some s -> add (Hashtbl.hash s));
  let n, x, s, m = mixed i in
  add (n + int_of_float x + String.length s + Int64.to_int m);
  add (int_of_float (area (classify i)));
  (match raises i with n, s -> add (n + Hashtbl.hash s) | exception Exit -> add 5);
  let a, b, c, d = many i 1 2 3 4 5 6 7 8 9 10 q "m" s "o" x 2. 3. in
  add (a + Hashtbl.hash b + int_of_float c + List.length d);
  let a, b, c, d = many_floats x 1. 2. 3. 4. 5. 6. 7. 8. 9. 10. x in
  add (int_of_float (a +. b +. c +. d));
  if i land 127 = 0 then begin
    let n, x = sums (List.init 50 (fun k -> float_of_int (k + i))) in
    add (n + int_of_float x);
    let s, l = nested (i land 15) in
    add (Hashtbl.hash s + List.length l)
  end

(* Fibers that take turns. *)
let fibers total first count =
  let queue = Queue.create () in
  let next () = match Queue.take_opt queue with Some f -> f () | None -> () in
  let add n = total := !total + n in
  let fiber i () =
    let a, s, x = asked i in
    add ((i * (a + String.length s)) + int_of_float x);
    (match asked_option i with None -> add 1 | Some (a, n) -> add (a - n));
    (match asked (i + 1) with a, s, _ when a land 1 = 0 -> add (String.length s) | _, _, x -> add (int_of_float x));
    let q, r = divide i 3 in
    add (q - r)
  in
  let spawn f =
    match_with f ()
      {
        retc = (fun () -> next ());
        exnc = raise;
        effc =
          (fun (type a) (e : a Effect.t) ->
            match e with
            | Ask n -> Some (fun (k : (a, unit) continuation) -> let q, r = divide (n * 7) 5 in continue k (q + r))
            | Yield -> Some (fun (k : (a, unit) continuation) -> Queue.push (fun () -> continue k ()) queue; next ())
            | _ -> None);
      }
  in
  for i = first to first + count - 1 do Queue.push (fun () -> spawn (fiber i)) queue done;
  next ()

(* What handlers and finalisers do: the same. *)
let wrong = Atomic.make 0

let interrupt () =
  let q, r = divide 100 7 and s, t = text 12 in
  let a, b, c, d = many 1 1 2 3 4 5 6 7 8 9 10 11 "x" s "y" 1. 2. 3. in
  let n, x, u, m = mixed 4 in
  if (q, r, s, t, a, b, c, List.length d) <> (14, 2, "12", "<144>", 67, "x12y", 6., 2) then Atomic.incr wrong;
  if (n, x, u, m) <> (4, 2., "4", 5L) then Atomic.incr wrong

let () =
  Sys.set_signal Sys.sigalrm (Sys.Signal_handle (fun _ -> interrupt ()));
  ignore (Unix.setitimer Unix.ITIMER_REAL { Unix.it_interval = 0.0005; it_value = 0.0005 });
  let work d () =
    let total = ref d in
    for i = 0 to 500 do
      if i land 63 = 0 then Gc.finalise (fun _ -> interrupt ()) (ref i);
      step total (i + (d * 1000));
      if i land 511 = 0 then fibers total (i + d) 20
    done;
    !total
  in
  let totals () = List.map Domain.join (List.init domains (fun d -> Domain.spawn (work d))) in
  let interrupted = totals () in
  ignore (Unix.setitimer Unix.ITIMER_REAL { Unix.it_interval = 0.; it_value = 0. });
  Atomic.set compacting true;
  let compacted = totals () in
  List.iter (Printf.printf "%d\n") (interrupted @ compacted);
  Printf.printf "wrong: %d\n" (Atomic.get wrong)
