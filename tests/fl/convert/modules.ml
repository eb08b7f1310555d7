(* Once stored, what is known at link time is never read back. *)
module M = struct
  let zero = 0
  let succ x = x + 1
  let table = [ 1; 2; 3 ]
end
let two = M.succ (M.succ M.zero)
let use () = (M.table, two)
module type S = sig val x : int end
module F (X : S) = struct let y = X.x + two end
module A = F (struct let x = 1 end)
