(* A functor's function out of which a local function is lifted that takes the module of another functor as an argument:
   it reads what the closures in that module have captured, by their slots. Where the functor is copied for its argument,
   so are these closures. A crash at -O3 (crates/passes/src/parameters/foreign.rs). *)

include (struct
  module type S = sig
    val f : int -> int -> int
    val k : int
  end

  module Inner (X : S) = struct
    let empty = X.k
    let mem x t = X.f x t > 9
    let rec add x t = if x > 1 && X.f x t > 99 then add (x / 2) t else (x + t) land 255
    let fold g t a = g X.k (g t a)
    let size t = t land 15
    let also x y = [ x; y ]
  end

  module Outer (X : S) = struct
    module I = Inner (X)

    let rec each g a = function
      | [] -> a
      | x :: l ->
          let b = each g a l in
          g x b

    let run n l =
      each (fun x s -> if I.mem x (I.add 3 (I.add X.k I.empty)) then X.f x s land 255 else s + n) 0 l land 0xFFFF
  end

  let half n = Sys.opaque_identity n / 2
  let n = half 8

  module X0 = struct
    let k = 6
    let f a b = if a > b then half 0 else (a + k) land 255
  end

  module A0 = Outer (X0)

  module X1 = struct
    let k = n land 7
    let f a b = if a > b then half 0 else (a + k) land 255
  end

  module A1 = struct
    include Outer (X1)

    let again = X1.k
  end

  let g n =
    (n
    + A0.run n [ 1; n ]
    + A1.run 3 [ n; 2; 5; n; 1 ]
    + List.fold_left (fun s x -> s + A1.run x [ n; s land 7 ]) 0 [ 1; n ])
    land 0xFFFF

  let[@inline never] kernel () =
    let sum = ref 0 in
    for i = 1 to 16 do
      sum := ((!sum * 7) + g (i land 15)) land 0xFFFFFF
    done;
    !sum

  let () = Printf.printf "%d\n" (kernel ())
end : sig end)
