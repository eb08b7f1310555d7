(* A unit with a functor and a structure for it. *)

module type Number = sig
  type t

  val zero : t
  val add : t -> t -> t
  val of_int : int -> t
  val to_int : t -> int
end

module F = struct
  type t = float

  let zero = 0.
  let add = ( +. )
  let of_int = float_of_int
  let to_int = int_of_float
end

module Sum (N : Number) = struct
  let up_to n =
    let s = ref N.zero in
    for i = 1 to n do
      s := N.add !s (N.of_int i)
    done;
    N.to_int !s

  let twice x = N.add x x
end
