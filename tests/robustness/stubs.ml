external add : int -> int -> int = "stub_add" [@@noalloc]
external scale : (float[@unboxed]) -> (int[@untagged]) -> (float[@unboxed])
  = "stub_scale_byte" "stub_scale" [@@noalloc]
external next : (int64[@unboxed]) -> (int64[@unboxed]) = "stub_next_byte" "stub_next" [@@noalloc]
external many :
  int -> int -> int -> int -> int -> int -> int -> int -> int -> int -> int -> int -> int
  = "stub_many_byte" "stub_many"
external call : (string -> string) -> string -> string = "stub_call"
external fail : unit -> unit = "stub_fail"

let () =
  Printf.printf "%d %g %Ld %d %s %s\n" (add 2 3) (scale 2.5 3) (next 1234567890122L)
    (many 1 2 3 4 5 6 7 8 9 10 11 12)
    (call (fun s -> s ^ "!") "abc")
    (try fail (); "nothing" with Failure m -> "Failure " ^ m)
