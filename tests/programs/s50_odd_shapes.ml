(* flags: -w -a *)
(* soundness 50: odd but valid shapes. *)
type void = |
let absurd (x : void) : int = match x with _ -> .
let absurd2 : void -> 'a = function _ -> .
module type Empty = sig end
type one = One of int [@@unboxed]
let f = (fun x -> (fun () -> x) ()) 3
let g () = ((fun[@inline never] () -> ())) ()
let rec ( let* ) x f = f x
let () =
  Printf.printf "%d\n" f;
  g ();
  (fun () -> print_endline "direct") ();
  (match () with () -> print_endline "unit");
  (let _ = () in ());
  (match (1, 2) with _ -> print_endline "tuple");
  (if true then print_endline "true");
  (if false then print_endline "false");
  ignore ((fun (x, (y, z)) [ a ] { contents = c } -> x + y + z + a + c) (1, (2, 3)) [ 4 ] (ref 5));
  (try (fun [] -> ()) [ 1 ] with Match_failure _ -> print_endline "match failure");
  (match Some (One 3) with Some (One n) -> print_int n | None -> ());
  print_newline ();
  let (_ : int) = 3 and () = () in
  begin end;
  let x = let y = let z = 1 in z in y in print_int x;
  print_int (let* a = 1 in let* b = 2 in a + b);
  (function 'a' -> print_string "a" | _ -> print_string "?") 'b';
  let exception L of int in (try raise (L 4) with L n -> print_int n);
  let open List in print_int (length [ (); () ]);
  print_newline ();
  let module M = struct end in let module N = (val (module M : Empty)) in
  print_endline (if (fun x -> x) true && not (not true) then "end" else "no")
