(* Loops that allocate in some iterations only: what is allocated in the others would show in the words. Printed is whether
   a call stays within twice what its result and what the stock compiler allocates need; the stock compiler does. *)

let words f =
  let before = Gc.minor_words () in
  ignore (Sys.opaque_identity (f ()));
  let after = Gc.minor_words () in
  int_of_float (after -. before)

let check name limit f =
  ignore (f ());
  let used = words f in
  if used <= limit then Printf.printf "%s: within the limit\n" name
  else Printf.printf "%s: %d words, limit %d\n" name used limit

let turns = Sys.opaque_identity 10_000

(* 39 of 10,000 iterations make a cell. *)
let cons_of_some n =
  let r = ref [] in
  for i = 1 to n do if i land 255 = 0 then r := i :: !r done;
  match !r with [] -> [] | _ :: l -> l

let length_of_some n =
  let r = ref [] in
  for i = 1 to n do if i land 255 = 0 then r := i :: !r done;
  List.length !r

let folded a = Array.fold_left (fun l x -> if x land 255 = 0 then x :: l else l) [] a

let under_try n =
  let r = ref [] in
  (try
     for i = 1 to n do
       if i land 255 = 0 then r := i :: !r;
       if i = n then raise Exit
     done
   with Exit -> ());
  List.fold_left ( + ) 0 !r

(* Words of a string: two references, one of which collects the other. *)
let split s =
  let out = ref [] and from = ref 0 in
  for i = 0 to String.length s - 1 do
    if s.[i] = ' ' then begin
      (match !out with (f, _) :: _ when f > i -> assert false | _ -> ());
      out := (!from, i) :: !out;
      from := i + 1
    end
  done;
  !out

let groups n =
  let out = ref [] and cur = ref [] in
  for i = 1 to n do
    if i land 255 = 0 then begin
      out := !cur :: !out;
      cur := []
    end
    else if i land 63 = 0 then cur := i :: !cur
  done;
  match !out with [] -> !cur | l :: _ -> l

type 'a queue = Empty | One of 'a | More of 'a * 'a queue

let queued n =
  let q = ref Empty in
  for i = 1 to n do
    if i land 255 = 0 then q := (match !q with Empty -> One i | q -> More (i, q))
  done;
  match !q with Empty -> 0 | One x -> x | More (x, _) -> x

(* Left by two paths; after a call in each iteration. *)
let[@inline never] act i = ignore (Sys.opaque_identity i)

let two_exits n stop =
  let rec go last i =
    if i = n then last
    else begin
      act i;
      if i = stop then (match last with Some x when x > 3 -> last | _ -> None)
      else go (if i land 255 = 0 then Some i else last) (i + 1)
    end
  in
  go None 0

let sometimes_added (x : float) n =
  let rec go (acc : float) i = if i = 0 then acc else go (if i land 255 = 0 then acc +. 1. else acc) (i - 1) in
  go x n

(* Loops that are hardly entered, whose result is what they were given. *)
let sums n =
  let rec sum (acc : float) = function [] -> acc | x :: l -> sum (acc +. x) l in
  let zero = Sys.opaque_identity 0.5 in
  let last = ref zero in
  for _ = 1 to n do last := Sys.opaque_identity (sum zero (Sys.opaque_identity [])) done;
  !last

let pairs n =
  let rec go (a, b as p) i = if i = 0 then p else go (b, a + b) (i - 1) in
  let last = ref (0, 0) in
  for _ = 1 to n do last := Sys.opaque_identity (go (0, 1) (Sys.opaque_identity 0)) done;
  !last

let () =
  check "cons_of_some" 250 (fun () -> cons_of_some turns);
  check "length_of_some" 250 (fun () -> length_of_some turns);
  let a = Array.init turns (fun i -> i) in
  check "folded" 300 (fun () -> folded a);
  check "under_try" 300 (fun () -> under_try turns);
  let s = String.init turns (fun i -> if i land 255 = 0 then ' ' else 'x') in
  check "split" 600 (fun () -> split s);
  check "groups" 1200 (fun () -> groups turns);
  check "queued" 300 (fun () -> queued turns);
  check "two_exits" 200 (fun () -> two_exits turns 9999);
  check "sometimes_added" 200 (fun () -> sometimes_added 1.5 turns);
  check "sums" 100 (fun () -> sums turns);
  check "pairs" 100 (fun () -> pairs turns)
