(* Tests whether a string is a literal are matches on it; of a long one, and of two unknown strings, they are calls. *)
let empty s = s = ""
let other s = s <> "abc"
let both s = String.equal s "x" || s = "y"
let long s = s = "abcdefghijklmnopqrstuvwx"
let unknown (s : string) t = s = t
