(* Inlining in Flambda 2, "Function call site decision": attributes of the call, depth, the decision at the definition, whether arguments tell
   anything, and what is left of the body. *)

let[@inline hint] hinted x = x + 1
let[@inline never] never x = x + 1
let attributes x = (hinted [@inlined hint]) x + (never [@inlined always]) x
let refused x = (hinted [@inlined never]) x
(* expect attributes: no call *)
(* expect refused: 1 call of hinted *)

(* Of medium size: only if something is known of an argument. *)
let medium b x =
  if b then begin
    let u = (x * 31 + 7) land 0xffff in
    let v = (u * 37 + x) lxor (u lsl 3) in
    let w = (v * 41 + u) land 0xffffff in
    let s = (w * 43 + v) lxor (u lsl 5) in
    let t = (s * 47 + w) land 0xfffff in
    let r = (t * 51 + s) lxor (w lsl 7) in
    r + t + s + w + v + u
  end
  else x
let nothing_known b x = medium b x
let useful x = medium false x
(* expect nothing_known: 1 call of medium *)
(* expect useful: returns x *)

(* A recursive function is not, unless the value that it descends is known (beyond the document). *)
let rec length l = match l with [] -> 0 | _ :: t -> 1 + length t
let recursive l = length l
let descended () = length [ 1 ]
(* expect recursive: 1 call of length *)
(* expect descended: returns 1 *)
