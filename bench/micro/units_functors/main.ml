(* Functors of another unit, applied to a unit, to a submodule of another unit, and to one of this unit (B7). *)

module Of_unit = Lib.Sum (Whole)
module Of_submodule = Lib.Sum (Lib.F)

module Of_structure = Lib.Sum (struct
  type t = int

  let zero = 0
  let add = ( + )
  let of_int x = x
  let to_int x = x
end)

let () =
  let row = Measure.row in
  row "B7 a functor of another unit, of a unit" Of_unit.up_to;
  row "B7 a functor of another unit, of its submodule" Of_submodule.up_to;
  row "B7 a functor of another unit, of a structure" Of_structure.up_to;
  row "B7 a functor applied in a function" (fun n ->
      let module M = Lib.Sum (Lib.F) in
      M.up_to n);
  row "B7 small functions of a functor" (fun n ->
      let s = ref 0. in
      for i = 1 to n do
        s := !s +. Of_submodule.twice (float i)
      done;
      !s)
