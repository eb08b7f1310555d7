(* Fields, arguments, results and captured values that nobody reads; and those that somebody does in the end. *)

module Notes : sig
  val add : int -> string -> unit
  val rename : unit -> unit
  val total : unit -> int
  val show : unit -> unit
end = struct
  type note = { weight : int; origin : int * string; mutable seen : int; title : string option }

  let notes = ref []
  let add weight title = notes := { weight; origin = (weight, title); seen = 0; title = Some title } :: !notes
  let rename () = notes := List.map (fun note -> { note with weight = note.weight + 1 }) !notes
  let rec sum acc = function [] -> acc | note :: rest -> note.seen <- acc; sum (acc + note.weight) rest
  let total () = sum 0 !notes
  let show () = List.iter (fun note -> print_int (note.weight * 2); print_char ' ') !notes
end

(* Constructors: what one has nobody reads, what another has somebody does. *)
module Shapes : sig
  type t

  val make : int -> t
  val area : t -> int
  val same : t -> t -> bool
end = struct
  type t = Point | Line of int * string | Box of int * int * string list

  let make n =
    match n mod 3 with 0 -> Point | 1 -> Line (n, string_of_int n) | _ -> Box (n, n + 1, [ string_of_int n ])

  let area = function Point -> 0 | Line (x, _) -> x | Box (x, y, _) -> x * y
  let same a b = a == b
end

(* Compared, printed and hashed by the runtime: all is read. *)
module Compared = struct
  type t = { key : int; value : string }

  let make key = { key; value = String.make 2 (Char.chr (65 + (key mod 26))) }
  let all = List.init 5 make
  let find n = List.mem (make n) all
  let hash n = Hashtbl.hash (make n) = Hashtbl.hash (make (n + 1))
end

(* Mutable fields that are assigned, and read by one function only, or by none. *)
let counted n =
  let module M = struct
    type t = { mutable count : int; mutable last : int list; name : string }
  end in
  let open M in
  let rec go c i =
    if i = 0 then c.count
    else begin
      c.count <- c.count + i;
      c.last <- [ i; c.count ];
      go c (i - 1) + 1
    end
  in
  go { count = 0; last = []; name = string_of_int n } n

(* Arguments that are only passed along, with effects in what they are. *)
let effects = ref 0

let noisy n =
  incr effects;
  n

let rec walk n why depth = if n = 0 then 0 else n + walk (n - 1) (noisy n :: why) (depth + 1)
and unused_result n =
  print_string (if n > 1 then "many " else "one ");
  (n, noisy n)

let[@inline never] ignored n =
  ignore (unused_result n);
  ignore (unused_result (n - 1))

(* Elements of arrays. *)
let arrays n =
  let cells = Array.make n (0, [], "") in
  for i = 0 to n - 1 do
    cells.(i) <- (i, [ i; i + 1 ], string_of_int i)
  done;
  let rec sum i = if i = n then 0 else (let a, _, c = cells.(i) in a + String.length c) + sum (i + 1) in
  sum 0

(* An exception takes a record out, and a closure keeps one. *)
type info = { code : int; why : string }

exception Failed of info

let fails n = if n > 2 then raise (Failed { code = n; why = string_of_int n }) else n

let kept n =
  let info = { code = n; why = "kept " ^ string_of_int n } in
  let get () = info in
  let other = Sys.opaque_identity (fun () -> (get ()).code) in
  other ()

(* What is no value of its type. *)
type pair = { left : int; right : int }

let rec magic n = if n = 0 then { left = 1; right = 2 } else (Obj.magic (n, n + 1) : pair)
and use n = (magic n).right + (magic 0).right

let sizes n =
  let p = { left = n; right = n * 2 } in
  Obj.size (Obj.repr p) + p.left

let fields n =
  let p = { left = n; right = n * 2 } and q = { left = n + 1; right = n * 3 } in
  (Obj.obj (Obj.field (Obj.repr p) 1) : int) + q.left

(* Nothing but which block it is. *)
let marks n =
  let make i = (i, i + n) in
  let rec go l i = if i = 0 then l else go (make i :: l) (i - 1) in
  match go [] (abs n) with a :: b :: _ -> a == a && not (a == b) | _ -> false

let () =
  List.iter (fun (n, s) -> Notes.add n s) [ (1, "a"); (2, "b"); (3, "c") ];
  Notes.rename ();
  Printf.printf "%d\n" (Notes.total ());
  Notes.show ();
  print_newline ();
  let a = Shapes.make 4 and b = Shapes.make 5 in
  Printf.printf "%d %b %b\n" (Shapes.area a + Shapes.area b + Shapes.area (Shapes.make 3)) (Shapes.same a b) (Shapes.same a a);
  Printf.printf "%b %b %b\n" (Compared.find 3) (Compared.find 7) (Compared.hash 3);
  Printf.printf "%d\n" (counted 10);
  Printf.printf "%d " (walk 5 [ noisy 3 ] 0);
  ignored 2;
  Printf.printf "%d\n" !effects;
  Printf.printf "%d\n" (arrays 12);
  (try print_int (fails 1 + fails 3) with Failed { code; why } -> Printf.printf "%d %s\n" code why);
  Printf.printf "%d\n" (kept 8);
  Printf.printf "%d %d %d %b\n" (use 5) (sizes 3) (fields 4) (marks 4)
