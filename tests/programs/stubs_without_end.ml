(* Functions whose default arguments call the function, and functions with attributes that are passed to themselves: what is
   inlined without asking for its size must have an end all the same. *)
let count = ref 0
let rec f ?(x = (incr count; if !count < 5 then f () else 10)) () = x + 1
let rec g ?(x = (incr count; if !count < 9 then h () else 3)) () = x * 2
and h ?(y = (incr count; if !count < 9 then g () else 4)) ?(z = g ~x:1 ()) () = y + z
type w = F of (w -> int -> int)
let[@inline] ap (F k as x) n = if n = 0 then 0 else 1 + k x (n - 1)
let[@inline] twice (F k as x) n = if n <= 0 then 1 else k x (n - 1) + k x (n - 2)
let () =
  Printf.printf "%d\n" (f ());
  count := 0;
  Printf.printf "%d %d\n" (g ()) (h ());
  Printf.printf "%d %d\n" (ap (F ap) 10) (twice (F twice) 15)
let many ?(a = 1) ?b ?(c = "x") n = a + n + String.length c + match b with None -> 0 | Some b -> b
let minor f = let before = Gc.minor_words () in ignore (Sys.opaque_identity (f 3)); Gc.minor_words () -. before
let sums n =
  let n = n + many ~a:n 0 + many ~b:0 n in
  let n = n + many ~a:n 1 + many ~b:1 n in
  let n = n + many ~a:n 2 + many ~b:2 n in
  let n = n + many ~a:n 3 + many ~b:3 n in
  let n = n + many ~a:n 4 + many ~b:4 n in
  let n = n + many ~a:n 5 + many ~b:5 n in
  let n = n + many ~a:n 6 + many ~b:6 n in
  let n = n + many ~a:n 7 + many ~b:7 n in
  let n = n + many ~a:n 8 + many ~b:8 n in
  let n = n + many ~a:n 9 + many ~b:9 n in
  let n = n + many ~a:n 10 + many ~b:10 n in
  let n = n + many ~a:n 11 + many ~b:11 n in
  let n = n + many ~a:n 12 + many ~b:12 n in
  let n = n + many ~a:n 13 + many ~b:13 n in
  let n = n + many ~a:n 14 + many ~b:14 n in
  let n = n + many ~a:n 15 + many ~b:15 n in
  let n = n + many ~a:n 16 + many ~b:16 n in
  let n = n + many ~a:n 17 + many ~b:17 n in
  let n = n + many ~a:n 18 + many ~b:18 n in
  let n = n + many ~a:n 19 + many ~b:19 n in
  let n = n + many ~a:n 20 + many ~b:20 n in
  let n = n + many ~a:n 21 + many ~b:21 n in
  let n = n + many ~a:n 22 + many ~b:22 n in
  let n = n + many ~a:n 23 + many ~b:23 n in
  let n = n + many ~a:n 24 + many ~b:24 n in
  let n = n + many ~a:n 25 + many ~b:25 n in
  let n = n + many ~a:n 26 + many ~b:26 n in
  let n = n + many ~a:n 27 + many ~b:27 n in
  let n = n + many ~a:n 28 + many ~b:28 n in
  let n = n + many ~a:n 29 + many ~b:29 n in
  let n = n + many ~a:n 30 + many ~b:30 n in
  let n = n + many ~a:n 31 + many ~b:31 n in
  let n = n + many ~a:n 32 + many ~b:32 n in
  let n = n + many ~a:n 33 + many ~b:33 n in
  let n = n + many ~a:n 34 + many ~b:34 n in
  let n = n + many ~a:n 35 + many ~b:35 n in
  let n = n + many ~a:n 36 + many ~b:36 n in
  let n = n + many ~a:n 37 + many ~b:37 n in
  let n = n + many ~a:n 38 + many ~b:38 n in
  let n = n + many ~a:n 39 + many ~b:39 n in
  n
let () = Printf.printf "%d %b\n" (sums 1 land 0xffff) (minor sums < 10. || Sys.backend_type <> Sys.Native)
