(* A local function that calls another through its closure, which stays: the one is lifted and takes the closure. The function that
   makes the closure is inlined only when the other is gone from it, with a constant captured, so that the closure of
   the copy has another layout. *)
let[@inline never] look x = Sys.opaque_identity x

let constant s x =
  let[@inline never] g y = look (y + s) in
  let[@inline never] h z =
    let a = look (g z) + look (g (z + 1)) in
    let a = if look a > 3 then look (a + 1) + g a else g 3 in
    let a = if look a > 5 then look (a + 1) + g a else g 5 in
    let a = if look a > 6 then look (a + 1) + g a else g 7 in
    let a = if look a > 7 then look (a + 1) + g a else g 8 in
    let a = if look a > 7 then look (a + 1) + g a else g 8 in
    let a = if look a > 7 then look (a + 1) + g a else g 8 in
    let a = if look a > 7 then look (a + 1) + g a else g 8 in
    a land 0xFFFF
  in
  h x + h (x + 1)

(* The closure captures two values, of which the copies know one. *)
let two s t x =
  let[@inline never] g y = look (y + (s * 3) + (t * 5)) in
  let[@inline never] h z =
    let a = look (g z) + look (g (z + 1)) in
    let a = if look a > 3 then look (a + 1) + g a else g 3 in
    let a = if look a > 5 then look (a + 1) + g a else g 5 in
    let a = if look a > 6 then look (a + 1) + g a else g 7 in
    let a = if look a > 7 then look (a + 1) + g a else g 8 in
    let a = if look a > 7 then look (a + 1) + g a else g 8 in
    let a = if look a > 7 then look (a + 1) + g a else g 8 in
    a land 0xFFFF
  in
  h x - h (x + 1)

(* The closure escapes besides. *)
let kept = ref (fun x -> x)

let escapes s x =
  let[@inline never] g y = look (y + s) in
  let[@inline never] h z =
    let a = look (g z) + look (g (z + 1)) in
    let a = if look a > 3 then look (a + 1) + g a else g 3 in
    let a = if look a > 5 then look (a + 1) + g a else g 5 in
    let a = if look a > 6 then look (a + 1) + g a else g 7 in
    let a = if look a > 7 then look (a + 1) + g a else g 8 in
    let a = if look a > 7 then look (a + 1) + g a else g 8 in
    let a = if look a > 7 then look (a + 1) + g a else g 8 in
    a land 0xFFFF
  in
  kept := g;
  h x + h (x + 1)

(* A recursive function that is specialised for one that captures, in a group whose functions pass new functions on. *)
let rec first f n = if n <= 0 then 0 else third (fun x -> f (x + n)) (n - 1) land 0xFFFF
and second f n = if n <= 0 then 1 else (if look n land 1 = 1 then third f (n - 1) else f (second f (n - 2))) land 0xFFFF
and third f n = if n <= 0 then 1 else f (second f (n - 1)) land 0xFFFF

type term = Var of int | Op of int * term list

let rename s term =
  let rec go = function
    | Op (op, sons) -> Op (op + s, List.map go sons)
    | Var x -> if look x > 100 then Var (s + x) else Var (look (look (look s + s) + s))
  in
  go term

let rec sum = function Var n -> n | Op (o, l) -> List.fold_left (fun a t -> a + sum t) o l

let () =
  let n = look 3 in
  let print = List.iter (Printf.printf "%d ") in
  print [ constant n 3; constant 17 n; constant 19 n; constant n n ];
  print [ two n 1 2; two 3 n 4; two 5 6 n; two n n n ];
  print [ escapes n 3; escapes 17 n; !kept 1; escapes 19 n; !kept 1; escapes 23 (n + 1); !kept 1 ];
  print [ first (fun x -> x * n) 6; first (fun x -> x + 1) 5; first (fun x -> x lxor n) n ];
  let t = Op (1, [ Var n; Op (2, [ Var (n * 100) ]); Var 5 ]) in
  print [ sum (rename n t); sum (rename 17 t); sum (rename 19 t) ];
  print_newline ()
