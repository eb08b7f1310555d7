(* flags: -w -a *)
(* pitfall 2: every Array function on float, int, string and empty arrays through polymorphic code. *)
let test show (a : 'a array) (x : 'a) =
  let p name b = Printf.printf "%s[%s] " name (String.concat ";" (Array.to_list (Array.map show b))) in
  p "copy" (Array.copy a); p "append" (Array.append a a); p "sub" (Array.sub a 0 (Array.length a / 2));
  p "concat" (Array.concat [ a; [||]; [| x |]; a ]);
  let b = Array.make 5 x in Array.blit a 0 b 1 (min 4 (Array.length a)); p "blit" b;
  Array.blit b 0 b 1 4; p "overlap" b; Array.blit b 2 b 0 3; p "overlap2" b;
  Array.fill b 1 2 x; p "fill" b; p "init" (Array.init 3 (fun _ -> x));
  p "of_list" (Array.of_list [ x; x ]); p "of_seq" (Array.of_seq (Array.to_seq a));
  p "mapi" (Array.mapi (fun i y -> if i = 0 then x else y) a);
  let c = Array.copy a in Array.sort compare c; p "sort" c; Array.stable_sort (fun a b -> compare b a) c; p "rsort" c;
  Printf.printf "%b %b %b" (Array.exists (( = ) x) a) (Array.mem x a) (Array.for_all (( = ) x) a);
  p "m" (Array.make_matrix 2 2 x).(1);
  (match Array.sub a 0 100 with _ -> () | exception Invalid_argument s -> print_string s);
  (match Array.make (-1) x with _ -> () | exception Invalid_argument s -> print_string s);
  print_newline ()
let () =
  test string_of_int [| 3; 1; 2 |] 7; test string_of_float [| 3.5; 1.; 2. |] 7.25; test Fun.id [| "c"; "a" |] "z";
  test string_of_bool [||] true; test string_of_float [||] 0.5; test Int64.to_string [| 5L; -5L |] 0L;
  test (fun l -> string_of_int (List.length l)) [| [ 1 ]; [] |] [ 1; 2 ]
