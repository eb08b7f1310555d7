module Make_map (T : Map.OrderedType) (S : Set.S with type elt = T.t) = struct
  include Map.Make (T)
  let keys m = fold (fun k _ s -> S.add k s) m S.empty
  let of_set f s = S.fold (fun k m -> add k (f k) m) s empty
  let module_of () = (module S : Set.S with type elt = T.t)
  let first m = match min_binding_opt m with Some (k, _) -> S.singleton k | None -> S.empty
end
module Make (T : Map.OrderedType) = struct
  module S = Set.Make (T)
  module M = Make_map (T) (S)
  module Pair = struct type t = T.t * T.t let compare = compare end
  module Pair_set = Set.Make (Pair)
  module Pairs = Make_map (Pair) (Pair_set)
end
