(* Shapes, and what becomes of calls. "<b>&amp;" is text here. *)
type shape = Circle of float | Box of { w : float; h : float }

let square x = x *. x
let scale k = function
  | Circle r -> Circle (k *. r)
  | Box b -> Box { w = k *. b.w; h = k *. b.h }

let rec fold f acc = function
  | [] -> acc
  | x :: l -> fold f (f acc x) l

let area = function
  | Circle r -> 3.14 *. square r
  | Box b -> b.w *. b.h

let total shapes = fold (fun sum s -> sum +. area s) 0.0 shapes
let same a b = compare (a : shape) b = 0 && Hashtbl.hash a = Hashtbl.hash b
let nth table i = table.(i)

let apply_all functions x =
  List.map (fun f -> f x) functions

class counter = object
  val mutable n = 0
  method step k = n <- n + k; n
end

let tick (c : counter) = c#step 1 + c#step 2

module Make (X : sig val unit : float end) = struct
  let unit s = scale X.unit s
end

module Half = Make (struct let unit = 0.5 end)

let () = Printf.printf "%f\n" (total [ Half.unit (Circle 1.0) ])
