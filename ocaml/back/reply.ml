(** The head of a reply from Rust: [docs/formats.md]. *)

module Reader = Byte_reader

(** A unit that was compiled; [cmm] stands before its Cmm part. *)
type compiled = {
  files : (string * string) list;  (** To be written beside the output: the ends of the names, and the contents. *)
  payload : string;
  counters : (string * int) list;
  warnings : (int * Warnings.t) list;  (** By the numbers of their locations. *)
  cmm : Reader.t;
}

(** A reply: dumps, which there are whether the unit was compiled or not, and the unit or why there is none. *)
type t = { dumps : (string * string) list; outcome : (compiled, exn) result }

let magic = "FLBR"
let version = 5

let pair r first second =
  let a = first r in
  let b = second r in
  (a, b)

let warning r =
  let location = Reader.u r in
  let number = Reader.u r in
  let text = Reader.string r in
  match number with
  | 55 -> (location, Warnings.Inlining_impossible text)
  | 59 -> (location, Warnings.Flambda_assignment_to_non_mutable_value)
  | n -> Reader.malformed r (Printf.sprintf "no warning %d" n)

let names_and_texts r = Reader.list r (fun r -> pair r Reader.string Reader.string)

let compiled r =
  let files = names_and_texts r in
  let payload = Reader.string r in
  let counters = Reader.list r (fun r -> pair r Reader.string Reader.u) in
  let warnings = Reader.list r warning in
  { files; payload; counters; warnings; cmm = r }

let failure r =
  let unit_name = Reader.string r in
  let function_name = Reader.string r in
  let pass = Reader.string r in
  let message = Reader.string r in
  Errors.internal ~unit_name ~function_name ~pass message

let bad_option r =
  for _ = 1 to 3 do ignore (Reader.string r : string) done;
  Errors.Bad_option (Reader.string r)

(** Reads a reply. Its outcome is an error if the unit was not compiled.
    @raise Byte_reader.Malformed if these are not the bytes of a reply. *)
let read bytes =
  let r = Reader.create bytes in
  if Reader.raw r (String.length magic) <> magic then Reader.malformed r "not a reply";
  if Reader.u r <> version then Reader.malformed r "a reply of another version";
  let dumps = names_and_texts r in
  let outcome =
    match Reader.byte r with
    | 0 -> Ok (compiled r)
    | 1 -> Error (failure r)
    | 2 -> Error (bad_option r)
    | _ -> Reader.malformed r "no such outcome"
  in
  { dumps; outcome }
