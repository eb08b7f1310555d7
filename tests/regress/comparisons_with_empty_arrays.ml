(* What is compared with [||] is looked at for its length: but a lazy value that forwards to an empty array is equal to it,
   and what is no array of its type is no error. *)

let ints (a : int array) = a = [||]
let floats (a : float array) = a <> [||]
let strings (a : string array) = [||] = a
let pairs (a : (int * string) array) = if a = [||] then 0 else Array.length a
let nested (a : int array array) = a = [| [||] |] || a = [||]
let[@inline never] any (a : 'a array) = a = [||]
let[@inline never] other (a : 'a array) = [||] <> a
let[@inline never] lazies (l : 'a array Lazy.t) = l = lazy [||]
let[@inline never] objects (x : Obj.t) = x = Obj.repr [||]

module type Empty = sig end

let[@inline never] modules (m : (module Empty)) = m = (module struct end : Empty)

let rec in_loop (a : 'a array) n = if n = 0 then 0 else (if a = [||] then 1 else 2) + in_loop a (n - 1)

let () =
  let print = Printf.printf "%b " in
  print (ints [||]);
  print (ints [| 1 |]);
  print (floats [||]);
  print (floats [| 1.5 |]);
  print (strings [||]);
  print (strings [| "a"; "b" |]);
  Printf.printf "%d %d " (pairs [||]) (pairs [| (1, "a"); (2, "b") |]);
  print (nested [||]);
  print (nested [| [||] |]);
  print (nested [| [||]; [||] |]);
  print_newline ();
  print (any [||]);
  print (any [| 1.5; 2. |]);
  print (any (Array.sub [| "a" |] 0 0));
  print (any (Array.make 3 None));
  print (other [||]);
  print (other [| 'c' |]);
  Printf.printf "%d %d\n" (in_loop [||] 3) (in_loop [| 1.; 2. |] 3);
  let empty = Lazy.from_fun (fun () -> Array.make (Sys.opaque_identity 0) 'c') in
  ignore (Lazy.force empty);
  let full = Lazy.from_val (Sys.opaque_identity [| 'c' |]) in
  print (lazies empty);
  print (lazies full);
  print (lazies (Lazy.from_val [||]));
  List.iter
    (fun x -> print (objects x))
    [ Obj.repr 0; Obj.repr 1.5; Obj.repr ""; Obj.repr [| 1 |]; Obj.repr [||]; Obj.repr (Array.make 0 1.); Obj.repr 3L ];
  print (objects (Obj.repr print_newline));
  print (modules (module struct end));
  print_newline ()
