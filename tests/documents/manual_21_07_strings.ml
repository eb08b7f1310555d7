(* Manual 21.7 says that nothing is known of the contents of strings; of literals it is. *)

let s = "hello"
let length () = String.length s
let third () = s.[2]
let switched () = match s with "a" -> 1 | "hello" -> 2 | _ -> 3
let equal () = if s = "hello" && s <> "b" && not (s < "hallo") then 1 else 0
let ordered () = compare s "help" + compare "b" s
let hexadecimal n = "0123456789abcdef".[n land 15]
(* expect length: returns 5 *)
(* expect third: returns 108 *)
(* expect switched: returns 2 *)
(* expect equal: returns 1 *)
(* expect ordered: returns -2 *)
(* expect hexadecimal: no check_bound, no string_length, 1 string_load *)

(* A function that is inlined for a literal. *)
let parse = function "true" -> 1 | "false" -> 0 | _ -> -1
let known () = parse "false"
(* expect known: returns 0 *)

(* Not of what may be assigned. *)
let bytes () = let b = Bytes.of_string s in Bytes.get b 0
let opaque () = String.length (Sys.opaque_identity s)
(* expect bytes: 1 check_bound, 1 string_load *)
(* expect opaque: 1 string_length *)
