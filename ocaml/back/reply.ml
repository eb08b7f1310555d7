(** The head of a reply from Rust: [docs/formats.md]. *)

module Reader = Byte_reader

(** A unit that was compiled; [cmm] stands before its Cmm part. *)
type compiled = {
  dumps : (string * string) list;
  files : (string * string) list;  (** To be written beside the output: the ends of the names, and the contents. *)
  payload : string;
  counters : (string * int) list;
  warnings : (int * Warnings.t) list;  (** By the numbers of their locations. *)
  cmm : Reader.t;
}

let magic = "FLBR"
let version = 2

let pair r first second =
  let a = first r in
  let b = second r in
  (a, b)

let warning r =
  let place = Reader.u r in
  let number = Reader.u r in
  let text = Reader.string r in
  match number with
  | 55 -> (place, Warnings.Inlining_impossible text)
  | 59 -> (place, Warnings.Flambda_assignment_to_non_mutable_value)
  | n -> Reader.malformed r (Printf.sprintf "no warning %d" n)

(** Reads a reply.
    @raise Errors.Internal if the middle-end failed.
    @raise Byte_reader.Malformed if these are not the bytes of a reply. *)
let read bytes =
  let r = Reader.create bytes in
  if Reader.raw r (String.length magic) <> magic then Reader.malformed r "not a reply";
  if Reader.u r <> version then Reader.malformed r "a reply of another version";
  if Reader.bool r then
    let dumps = Reader.list r (fun r -> pair r Reader.string Reader.string) in
    let files = Reader.list r (fun r -> pair r Reader.string Reader.string) in
    let payload = Reader.string r in
    let counters = Reader.list r (fun r -> pair r Reader.string Reader.u) in
    let warnings = Reader.list r warning in
    { dumps; files; payload; counters; warnings; cmm = r }
  else
    let unit_name = Reader.string r in
    let function_name = Reader.string r in
    let pass = Reader.string r in
    let message = Reader.string r in
    raise (Errors.internal ~unit_name ~function_name ~pass message)
