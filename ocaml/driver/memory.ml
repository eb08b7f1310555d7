(** The compiler's own memory. *)

(** Whether the user's environment says how memory is managed. *)
let is_set_by_user () =
  let is_set name = Option.is_some (Sys.getenv_opt name) in
  is_set "OCAMLRUNPARAM" || is_set "CAMLRUNPARAM"

(* A unit of more bytes than this in the request is large. *)
let large_unit = 200_000
let large_minor_heap_words = 512 * 1024

(* A minor collection scans the whole stack, which is deep where the program is deeply nested: for a large unit there
   should be few. (A function of 4,000 branches compiles in 16 % less time for that. Small units would take more, because
   a larger heap leaves the cache and touches more pages; one of 1M words touches more pages than it saves, and one of 8M
   takes a third more memory.) *)
let with_large_minor_heap control = { control with Gc.minor_heap_size = large_minor_heap_words }

(* Until so many words are promoted little is marked, since most of them live to the end. Beyond, what comes next may make
   much garbage: for 20,000 bindings one after the other [Simplif] promotes thirty times what typing keeps, and hardly
   anything of it lives on. *)
let many_promoted_words = 12e6

(* Free memory beside live memory from then on, in hundredths. *)
let tight_space_overhead = 200

(* From this size on the heap is compacted before the middle end adds its own memory, which is when the least is alive:
   the Lambda and the request, a fifth. 437,000 lines in one file take 0.78 of the memory for that, and 1.07 of the
   time. *)
let large_heap_words = 64 * 1024 * 1024

let compact_if_large () =
  if (not (is_set_by_user ())) && (Gc.quick_stat ()).heap_words > large_heap_words then Gc.compact ()

let change control = if not (is_set_by_user ()) then Gc.set (control (Gc.get ()))

(* Too large for the minor heap. *)
let large_block_bytes = 4096

(* Where the system gives huge pages only to those that ask: small units compile in 0.95 of the time, with
   1,500 page faults less. OCaml 5 gains nothing by them. *)
let use_huge_pages () =
  if Collector.heap_is_one_piece && not (is_set_by_user ()) then Rust.use_huge_pages (Bytes.create large_block_bytes)

(** To be called first. *)
let start () =
  use_huge_pages ();
  Option.iter (fun space_overhead -> change (fun control -> { control with space_overhead })) Collector.space_overhead

(** To be called now and then: limits the heap once it is large. *)
let check () =
  if (Gc.quick_stat ()).promoted_words > many_promoted_words then
    change (fun control -> { (with_large_minor_heap control) with space_overhead = tight_space_overhead })

(** To be called when it is known how many bytes a unit has in the request. *)
let unit_is_known ~bytes =
  compact_if_large ();
  if bytes > large_unit then begin
    Rust.unit_is_large ();
    change with_large_minor_heap
  end;
  check ()
