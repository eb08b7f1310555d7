module On (T : Sets.Set) = struct
  let rec each g a = function [] -> a | x :: l -> g x (each g a l)
  let all n l = each (fun x t -> T.add x t) (T.add n T.empty) l
end

module Make (X : Sets.Argument) = struct
  module I = struct
    include Sets.Make (X)
    let also x y =
      let c = X.f in
      if c x y < X.k then [ c x x; c y x ] else [ c y y; c x y ]
  end
  module B = On (I)
end
