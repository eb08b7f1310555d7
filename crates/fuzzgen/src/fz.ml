(* flags: -w -a *)
(* What generated programs have in common: they observe, count, and stop in time. *)

(* Loops and recursive functions end early when the program has used up its steps. *)
let steps = ref 0
let more () = incr steps; !steps < 20_000

(* A trace of effects: the first ones are printed, all of them are in the sum. *)
let events = ref 0
let sum = ref 0
let note n = incr events; sum := ((!sum * 31) + n) land 0xFFFFFFFFFFF
let tr n v =
  note n;
  if !events <= 300 then (print_char '#'; print_int n; print_char ' ');
  v
(* Values that the sum depends on, whatever becomes of them. *)
let see n = note n; n
let look text = note (Hashtbl.hash text)
let tick n = note n; if !events <= 300 then (print_char '.'; print_int n; print_char ' ')

(* Values as text. Data that shares its parts may be huge as a tree: what is shown is bounded. *)
let shown = ref 0
let may_show () = incr shown; !shown < 400
let lines = ref 0
let say label text =
  shown := 0;
  incr lines;
  let text = if String.length text > 2000 then String.sub text 0 2000 else text in
  note (Hashtbl.hash text);
  if !lines <= 400 then (print_newline (); print_string label; print_char '='; print_string text; print_char ' ')
(* What was allocated is printed where it is not compared with what bytecode prints. *)
let words () =
  let minor, promoted, major = Gc.counters () in
  int_of_float (minor +. major -. promoted)
let program = ref ""
let entered = ref 0
let cost name n = prerr_string ("cost " ^ !program ^ name ^ " " ^ string_of_int n ^ "\n")
let start name =
  steps := 0; events := 0; sum := 0; lines := 0; shown := 0;
  print_newline (); print_string "== "; print_string name;
  program := name;
  entered := words ()
let stop () =
  let n = words () - !entered in
  cost "" n;
  print_newline (); print_string "sum "; print_int !sum; print_newline ()

(* Kernels: a result, and what it took. *)
let[@inline never] tried f = match f () with n -> n | exception e -> -Hashtbl.hash (Printexc.exn_slot_name e)
let result name n = print_newline (); print_string (name ^ " " ^ string_of_int n)
let[@inline never] kernel name f =
  let before = words () in
  let n = tried f in
  let used = words () - before in
  result name n;
  cost (" " ^ name) used
(* How long this takes depends on chance: it is left out where instructions are counted. *)
let only_costs = Sys.getenv_opt "FZ_ONLY_COSTS" <> None
let[@inline never] once name f = if not only_costs then result name (tried f)
let span = ref 0
let enter () = span := words ()
let[@inline never] leave name =
  let used = words () - !span in
  result name !sum;
  cost (" " ^ name) used

(* Functions that the optimiser does not look into. *)
let[@inline never] odd n = n land 1 = 1
let[@inline never] id x = x
let[@inline never] half n = n / 2
let[@inline never] area x = (x *. 1.5) +. 1.
let names = [| "a"; "bc"; "def"; "ghij" |]
let numbers = Array.init 40 (fun i -> (i * 37) land 63)
let reals = Array.init 40 (fun i -> float_of_int ((i * 29) land 31))
let list = Array.to_list numbers
let text = "the quick brown fox, jumps over; the lazy dog"

let s_unit () = "()"
let s_bool b = if b then "true" else "false"
let s_int = string_of_int
let s_char c = Printf.sprintf "%C" c
(* The sign of a NaN depends on the order of operands, which nobody promises. *)
let s_float x = if x <> x then "nan" else Printf.sprintf "%h" x
let s_str s = "\"" ^ String.escaped s ^ "\""
let s_bytes b = "b\"" ^ String.escaped (Bytes.to_string b) ^ "\""
let s_i32 n = Int32.to_string n ^ "l"
let s_i64 n = Int64.to_string n ^ "L"
let s_nat n = Nativeint.to_string n ^ "n"
let rec take n l = if n <= 0 then [] else match l with [] -> [] | x :: l -> x :: take (n - 1) l
let s_list f l = "[" ^ String.concat ";" (List.map f (take 12 l)) ^ "]"
let s_array f a = "[|" ^ String.concat ";" (List.map f (take 12 (Array.to_list a))) ^ "|]"
let s_opt f = function None -> "None" | Some x -> "Some(" ^ f x ^ ")"
let s_ref f r = "ref(" ^ f !r ^ ")"
let s_lazy f l = match Lazy.force l with v -> "lazy(" ^ f v ^ ")" | exception _ -> "lazy(raises)"
let s_any _ = "_"
let s_exn = function
  | Invalid_argument m -> "Invalid_argument " ^ m
  | Failure m -> "Failure " ^ m
  | Match_failure _ -> "Match_failure"
  | Assert_failure _ -> "Assert_failure"
  | e -> ( match String.index_opt (Printexc.to_string e) '(' with _ -> Printexc.exn_slot_name e)

(* Total versions of what may blow up, or where bytecode and native code differ. *)
let cat a b = let s = a ^ b in if String.length s > 60 then String.sub s 0 60 else s
let app a b = take 40 (a @ b)
let int_of x = if x > -1e9 && x < 1e9 then int_of_float x else 77
let bits x = if x <> x then 0x7FF8000000000000L else Int64.bits_of_float x
let hash x = Hashtbl.hash x
let of_bits n = let x = Int64.float_of_bits n in if x <> x then nan else x
let size n = n land 7

(* Collections are slow in loops. *)
let collections = ref 0
let minor () = incr collections; if !collections < 200 then Gc.minor ()
let major () = incr collections; if !collections < 20 then Gc.full_major ()

(* Recursive values. *)
type knot = { fn : int -> int; v : int; next : knot list }

(* Primitives that the library does not give a name, or not to everybody. *)
external bswap16 : int -> int = "%bswap16"
external bswap32 : int32 -> int32 = "%bswap_int32"
external bswap64 : int64 -> int64 = "%bswap_int64"
external bswapn : nativeint -> nativeint = "%bswap_native"
external string_get16 : string -> int -> int = "%caml_string_get16"
external string_get32 : string -> int -> int32 = "%caml_string_get32"
external string_get64 : string -> int -> int64 = "%caml_string_get64"
external bytes_get16 : bytes -> int -> int = "%caml_bytes_get16"
external bytes_get32 : bytes -> int -> int32 = "%caml_bytes_get32"
external bytes_get64 : bytes -> int -> int64 = "%caml_bytes_get64"
external bytes_set16 : bytes -> int -> int -> unit = "%caml_bytes_set16"
external bytes_set32 : bytes -> int -> int32 -> unit = "%caml_bytes_set32"
external bytes_set64 : bytes -> int -> int64 -> unit = "%caml_bytes_set64"
type bigstring = (char, Bigarray.int8_unsigned_elt, Bigarray.c_layout) Bigarray.Array1.t
external bigstring_get16 : bigstring -> int -> int = "%caml_bigstring_get16"
external bigstring_get32 : bigstring -> int -> int32 = "%caml_bigstring_get32"
external bigstring_get64 : bigstring -> int -> int64 = "%caml_bigstring_get64"
external bigstring_set32 : bigstring -> int -> int32 -> unit = "%caml_bigstring_set32"
external bigstring_set64 : bigstring -> int -> int64 -> unit = "%caml_bigstring_set64"
external big_endian : unit -> bool = "%big_endian"
external word_size : unit -> int = "%word_size"
external int_size : unit -> int = "%int_size"
external max_wosize : unit -> int = "%max_wosize"
external ostype_unix : unit -> bool = "%ostype_unix"
external ostype_win32 : unit -> bool = "%ostype_win32"
external ostype_cygwin : unit -> bool = "%ostype_cygwin"

(* Bigarrays: fresh, of eight elements, all zero. *)
open Bigarray
let fresh kind layout zero = let a = Array1.create kind layout 8 in Array1.fill a zero; a
let ba_int () = fresh int c_layout 0
let ba_i8 () = fresh int8_signed c_layout 0
let ba_u8 () = fresh int8_unsigned c_layout 0
let ba_i16 () = fresh int16_signed c_layout 0
let ba_u16 () = fresh int16_unsigned c_layout 0
let ba_i32 () = fresh int32 c_layout 0l
let ba_i64 () = fresh int64 c_layout 0L
let ba_nat () = fresh nativeint c_layout 0n
let ba_f64 () = fresh float64 c_layout 0.
let ba_f32 () = fresh float32 c_layout 0.
let ba_c64 () = fresh complex64 c_layout Complex.zero
let ba_c32 () = fresh complex32 c_layout Complex.zero
let ba_char () = fresh char c_layout '\000'
let ba_int_f () = fresh int fortran_layout 0
let ba_u8_f () = fresh int8_unsigned fortran_layout 0
let ba_f64_f () = fresh float64 fortran_layout 0.
let ba2_c () = let a = Array2.create int16_signed c_layout 3 4 in Array2.fill a 1; a
let ba2_f () = let a = Array2.create int fortran_layout 3 4 in Array2.fill a 2; a

(* Types of which programs make values. *)
type _ gadt =
  | Num : int -> int gadt
  | Bit : bool -> bool gadt
  | Real : float -> float gadt
  | Pair : 'a gadt * 'b gadt -> ('a * 'b) gadt
  | Fst : ('a * 'b) gadt -> 'a gadt
  | Cond : bool gadt * 'a gadt * 'a gadt -> 'a gadt
  | Add : int gadt * int gadt -> int gadt
  | Less : int gadt * int gadt -> bool gadt
  | Trunc : float gadt -> int gadt
type ext = ..
type ext += Y of int
type poly = { id : 'a. 'a -> 'a }
type 'a cell = { mutable held : 'a; mutable count : int }
module Ops = struct
  let ( let* ) o f = match o with None -> None | Some x -> f x
  let ( let+ ) o f = match o with None -> None | Some x -> Some (f x)
  let ( and+ ) a b = match a, b with Some a, Some b -> Some (a, b) | _ -> None
end
let aapp a b = if Array.length a + Array.length b > 40 then a else Array.append a b
module type Step = sig val step : int -> int end
