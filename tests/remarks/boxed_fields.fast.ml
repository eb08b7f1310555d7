type state = { mutable seed : int; mutable count : int }

let[@inline never] step s =
  s.seed <- (s.seed * 2862933555777941757) + 3037000493;
  s.count <- s.count + 1

let s = { seed = 1; count = 0 }
let () = for _ = 1 to 50_000_000 do step s done; print_int s.count
