(* Closure variables passed as arguments, by -unbox-closures (E6): the examples of OCaml's manual, 21.9.3. *)

let row = Measure.row

let repeat f n =
  let s = ref 0 in
  for i = 1 to n do
    s := !s + f i
  done;
  !s
[@@inline]

let foo c =
  let rec bar zs fv =
    match zs with
    | [] -> []
    | z :: zs ->
        let rec baz f = function
          | [] -> []
          | a :: l ->
              let r = fv + (f [@inlined never]) a in
              r :: baz f l
        in
        baz (fun y -> z + y) [ z; 2; 3; 4 ] @ bar zs fv
  in
  List.length (bar [ 1; 2; 3; 4 ] c)
[@@inline never]

let[@inline never] simple x =
  let g y = (x + y) land 255 in
  (g [@inlined never]) 42 + (g [@inlined never]) 43

let () =
  row "E6 the manual's harder example" (repeat foo);
  row "E6 the manual's simple example" (repeat simple)
