(* flags: -w -a *)
(* A bound of a for loop assigns a variable of its own, which the loop's exit then carried along out of its scope:
   the verifier refused the unit. Found by `cargo xtask fuzz`, seed 1014. *)

let size n = n land 7

let f l =
  let sum = ref 0 in
  for
    i =
      size
        (let r = ref (List.length l) in
         incr r;
         print_string "bound ";
         decr r;
         !r)
    downto 1
  do
    sum := !sum + i
  done;
  !sum

let g l =
  for
    i =
      (let r = ref 0 in
       List.iter (fun x -> print_int x) l;
       while !r < List.length l do
         incr r
       done;
       !r)
    to
      let r = ref 1 in
      (if l <> [] then r := 4);
      !r
  do
    Printf.printf " %d" i
  done;
  print_newline ()

let () =
  Printf.printf "%d %d\n" (f []) (f [ 1; 2; 3 ]);
  g [];
  g [ 1; 2 ]
