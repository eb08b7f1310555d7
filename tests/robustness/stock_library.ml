(* Code of the stock compiler calls functions of the standard library by the labels that its .cmx files describe. These
   are the ones that bear no name of the source, or are called in another way than ours of that name would be. *)

module Ints = struct
  type t = int

  let equal = Int.equal
  let hash = Hashtbl.hash
end

module Table = Hashtbl.Make (Ints)
module Weak_table = Ephemeron.K1.Make (Ints)

(* Inner functions of stubs of default arguments. *)
let stubs () =
  let table = Hashtbl.create 3 in
  Hashtbl.replace table "a" 1;
  let other = Hashtbl.rebuild table in
  Hashtbl.replace other "b" 2;
  Format.printf "%a %a %d@."
    (Format.pp_print_list Format.pp_print_int) [ Hashtbl.length table; Hashtbl.length other ]
    (Format.pp_print_seq ~pp_sep:(fun f () -> Format.pp_print_char f ',') Format.pp_print_int) (List.to_seq [ 1; 2 ])
    (Hashtbl.find other "a");
  let number = ref 0 in
  let specification = Arg.align [ ("-n", Arg.Set_int number, " a number") ] in
  Arg.parse_argv ~current:(ref 0) [| "program"; "-n"; "5" |] specification ignore "usage";
  let lexbuf = Lexing.from_string "text" in
  let file = Filename.temp_file "promises" ".txt" in
  Sys.remove file;
  Printf.printf "%d %d %s %s\n" !number lexbuf.Lexing.lex_buffer_len (Filename.extension file)
    (Filename.quote_command "ls" ~stdout:"out" [ "-l" ])

(* Functions that functors make. *)
let made () =
  let table = Table.create 1 and weak = Weak_table.create 1 in
  Table.replace table 1 "one";
  Weak_table.replace weak 2 "two";
  Printf.printf "%s %s %b %d\n" (Table.find table 1) (Weak_table.find weak 2)
    (Table.mem (Table.of_seq (List.to_seq [ (3, "three") ])) 3)
    (Weak_table.stats weak).Hashtbl.num_bindings

(* Functions without a name, and those that another compiler knows not to need their closure. *)
let chosen () =
  let told to_string = function Some n -> string_of_int n | None -> to_string in
  Printf.printf "%s %s %s %b\n"
    (told "none" (Int32.unsigned_to_int (-1l)))
    (told "none" (Int64.unsigned_to_int (-1L)))
    (told "none" (Nativeint.unsigned_to_int 5n))
    (Random.nativeint 10n < 10n && Random.State.nativeint (Random.State.make [| 1 |]) 10n < 10n)

let scanned () =
  Scanf.sscanf "12 ab" "%d %s" (fun n s -> Printf.printf "%d %s\n" n s);
  Scanf.sscanf_format "\"%d!\"" "%d" (fun format -> Printf.printf (format ^^ "\n") 7);
  Scanf.scanf "" (print_endline "nothing read");
  Scanf.ksscanf "x" (fun _ _ -> print_endline "refused") "%d" ignore

let () = stubs (); made (); chosen (); scanned ()

(* What another unit made by applying functions of the library in part. *)
let () =
  let open Stock_closures in
  let numbers = [ 1; 2; 3; 4 ] in
  let show l = String.concat " " (List.map string_of_int l) in
  let e, o = by_parity numbers in
  let text = to_text 3 "x" in
  Printf.printf "%s; %s; %s; %d; %d; %b; %d; %s; %s; %s; %d\n" (show e) (show o)
    (show (find_all_of (fun x -> x > 2) numbers))
    (compose_all [ succ; ( * ) 2 ] 5)
    (flipped 1 10) (negated 3) (const_seven 1) text
    (String.concat "+" (splitter "a,b,c"))
    (show (List.of_seq (seq_of numbers)))
    (compare_by abs (Some (-2)) (Some 1))
