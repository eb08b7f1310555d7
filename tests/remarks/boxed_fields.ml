(* slow: int64 in a record; first: boxing; remedy: int *)
type state = { mutable seed : int64; mutable count : int }

let[@inline never] step s =
  s.seed <- Int64.add (Int64.mul s.seed 2862933555777941757L) 3037000493L;
  s.count <- s.count + 1

let s = { seed = 1L; count = 0 }
let () = for _ = 1 to 50_000_000 do step s done; print_int s.count
