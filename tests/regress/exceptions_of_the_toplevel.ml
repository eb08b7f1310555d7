(* An exception that the toplevel makes and the field of the module that holds it are one object: what raises it in the
   same toplevel, inlined beside what takes it, is taken. Nothing is called between the two where the toplevel knows
   the object itself. *)

exception A of int
exception B of string

let of_two = function A _ -> 1 | B _ -> 2 | _ -> 3
let of_b = of_two (B "b")
let of_a = of_two (A 1)

exception Ok

let applied =
  let f g _ = ignore (failwith "called"); g in
  try
    ignore (f Fun.id 2 (raise Ok));
    0
  with Ok -> 1

exception C of int

let raised_c = try raise (C 5) with C n -> n | A _ -> 0
let raised_b = try raise (B "b") with C n -> n | B s -> String.length s

exception First of int
exception Second of string
exception Third = Second
exception Bare

let which = function First _ -> 1 | Second _ -> 2 | Bare -> 3 | _ -> 4

let check name expected found = if expected <> found then Printf.printf "%s: %d for %d\n" name found expected

let () =
  check "a" 1 of_a;
  check "b" 2 of_b;
  check "applied" 1 applied;
  check "raised c" 5 raised_c;
  check "raised b" 1 raised_b

let () =
  check "first" 1 (which (First 1));
  check "second" 2 (which (Second "a"));
  check "third" 2 (which (Third "a"));
  check "bare" 3 (which Bare);
  check "other" 4 (which Exit)

let taken raises = try raises () with First n -> n | Second s -> String.length s | Bare -> 0

let () =
  check "raised first" 7 (taken (fun () -> raise (First 7)));
  check "raised second" 2 (taken (fun () -> raise (Second "ab")));
  check "raised third" 2 (taken (fun () -> raise (Third "ab")));
  check "raised bare" 0 (taken (fun () -> raise Bare))

let () =
  let ignored g _ = ignore (failwith "called"); g in
  check "order of evaluation" 1
    (try
       ignore (ignored Fun.id 2 (raise Bare));
       0
     with Bare -> 1)

module Local (X : sig
  val n : int
end) =
struct
  exception Mine of int

  let mine = function Mine n -> n | First _ -> -1 | Bare -> -2 | _ -> -3

  let () =
    check "mine" X.n (mine (Mine X.n));
    check "not mine" (-1) (mine (First 1));
    check "bare in a functor" (-2) (mine Bare)
end

module One = Local (struct
  let n = 1
end)

module Two = Local (struct
  let n = 2
end)

let () =
  check "of another application" (-3) (One.mine (Two.Mine 1));
  let exception Here of int in
  let here = function Here n -> n | First _ -> -1 | One.Mine _ -> -2 | _ -> -3 in
  check "here" 5 (here (Here 5));
  check "not here" (-1) (here (First 5));
  check "nor here" (-2) (here (One.Mine 5));
  print_endline "done"
