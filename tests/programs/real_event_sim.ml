(* flags: -w -a *)
(* Discrete event simulation of a shop with queues; priority queue as a functor over an order: leftist heap and pairing heap agree. *)
module type ORD = sig type t val compare : t -> t -> int end
module type PQ = sig type elt type t val empty : t val is_empty : t -> bool val add : elt -> t -> t val pop : t -> (elt * t) option val size : t -> int end
module Leftist (O : ORD) : PQ with type elt = O.t = struct
  type elt = O.t
  type t = E | N of int * elt * t * t
  let empty = E
  let is_empty t = t = E
  let rank = function E -> 0 | N (r, _, _, _) -> r
  let node x a b = if rank a >= rank b then N (rank b + 1, x, a, b) else N (rank a + 1, x, b, a)
  let rec merge a b = match a, b with E, t | t, E -> t | N (_, x, l, r), N (_, y, l', r') -> if O.compare x y <= 0 then node x l (merge r b) else node y l' (merge a r')
  let add x t = merge (N (1, x, E, E)) t
  let pop = function E -> None | N (_, x, l, r) -> Some (x, merge l r)
  let rec size = function E -> 0 | N (_, _, l, r) -> 1 + size l + size r
end
module Pairing (O : ORD) : PQ with type elt = O.t = struct
  type elt = O.t
  type node = { v : elt; kids : node list }
  type t = { root : node option; n : int }
  let empty = { root = None; n = 0 }
  let is_empty t = t.n = 0
  let link a b = if O.compare a.v b.v <= 0 then { a with kids = b :: a.kids } else { b with kids = a :: b.kids }
  let add x t = let s = { v = x; kids = [] } in { root = Some (match t.root with None -> s | Some r -> link r s); n = t.n + 1 }
  let rec pairs = function [] -> None | [ a ] -> Some a | a :: b :: r -> let ab = link a b in (match pairs r with None -> Some ab | Some c -> Some (link ab c))
  let pop t = match t.root with None -> None | Some r -> Some (r.v, { root = pairs r.kids; n = t.n - 1 })
  let size t = t.n
end
type kind = Arrive of int | Start of { cust : int; desk : int } | Finish of int * int | Close
type ev = { time : float; seq : int; kind : kind }
module Ev = struct type t = ev let compare a b = match Float.compare a.time b.time with 0 -> Int.compare a.seq b.seq | c -> c end
module Sim (Q : PQ with type elt = ev) = struct
  let run ~desks ~customers ~seed =
    let state = ref seed in
    let rand () = state := (!state * 25214903917 + 11) land 0xffffffffffff; float (!state lsr 17) /. 2147483648. in
    let expo mean = -.mean *. log (1. -. (0.999 *. rand ())) in
    let q = ref Q.empty and seq = ref 0 and now = ref 0. in
    let schedule dt kind = incr seq; q := Q.add { time = !now +. dt; seq = !seq; kind } !q in
    let free = Array.make desks true and waiting = Queue.create () and busy = Array.make desks 0. and total_wait = ref 0. and served = ref 0 and maxq = ref 0 and peak = ref 0 in
    let arrived = Hashtbl.create 64 in
    let find_desk () = let r = ref (-1) in (try Array.iteri (fun i f -> if f then (r := i; raise_notrace Exit)) free with Exit -> ()); !r in
    let log = Buffer.create 64 in
    schedule 0. (Arrive 1); schedule 480. Close;
    (try while true do
      match Q.pop !q with
      | None -> raise Exit
      | Some (e, rest) ->
        q := rest; assert (e.time >= !now); now := e.time; peak := max !peak (Q.size !q);
        (match e.kind with
         | Arrive c -> Hashtbl.replace arrived c !now; Queue.add c waiting; maxq := max !maxq (Queue.length waiting); if c < customers then schedule (expo 1.2) (Arrive (c + 1)); let d = find_desk () in if d >= 0 then (free.(d) <- false; schedule 0. (Start { cust = Queue.pop waiting; desk = d }))
         | Start { cust; desk } -> let w = !now -. Hashtbl.find arrived cust in total_wait := !total_wait +. w; let t = expo (3. +. float desk) in busy.(desk) <- busy.(desk) +. t; schedule t (Finish (cust, desk))
         | Finish (_, d) -> incr served; if Queue.is_empty waiting then free.(d) <- true else schedule 0.1 (Start { cust = Queue.pop waiting; desk = d })
         | Close -> Buffer.add_string log (Printf.sprintf "closed with %d waiting; " (Queue.length waiting)); if !served > 200 then raise_notrace Exit)
    done with Exit -> ());
    Printf.sprintf "%sserved %d in %.4f, mean wait %.6f, queue %d, events %d, peak %d, busy %s" (Buffer.contents log) !served !now (!total_wait /. float !served) !maxq !seq !peak (String.concat "," (Array.to_list (Array.map (Printf.sprintf "%.3f") busy)))
end
module A = Sim (Leftist (Ev)) module B = Sim (Pairing (Ev))
module IQ = Leftist (struct type t = int let compare a b = compare b a end)
let () = List.iter (fun (desks, customers, seed) -> let a = A.run ~desks ~customers ~seed in let b = B.run ~desks ~customers ~seed in print_endline a; Printf.printf "%b\n" (a = b)) [ (1, 50, 1); (3, 200, 2); (4, 500, 77); (2, 1, 5) ]
let () = let q = List.fold_left (fun q x -> IQ.add x q) IQ.empty [ 3; 1; 4; 1; 5; 9; 2; 6 ] in let rec drain q = match IQ.pop q with None -> print_newline () | Some (x, q) -> Printf.printf "%d " x; drain q in drain q
