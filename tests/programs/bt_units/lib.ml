let check n = if n < 0 then invalid_arg "check" else n
let via f x = f x + 1
module Make (X : sig val n : int end) = struct let go k = check (k - X.n) + 1 end
