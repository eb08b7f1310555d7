(* flags: -w -a *)
(* Tail calls and loops with many arguments, in registers and on the stack, known and unknown. *)
let o = Sys.opaque_identity
let rec loop5 k a0 a1 a2 a3 a4 = if k = 0 then a0 + 3 * a1 + 3 * a2 + 3 * a3 + 3 * a4 else loop5 (k - 1) a1 a2 a3 a4 a0
let () = Printf.printf "%d\n" (loop5 300005 0 1 4 9 16)
let rec loop9 k a0 a1 a2 a3 a4 a5 a6 a7 a8 = if k = 0 then a0 + 3 * a1 + 3 * a2 + 3 * a3 + 3 * a4 + 3 * a5 + 3 * a6 + 3 * a7 + 3 * a8 else loop9 (k - 1) a1 a2 a3 a4 a5 a6 a7 a8 a0
let () = Printf.printf "%d\n" (loop9 300009 0 1 4 9 16 25 36 49 64)
let rec loop10 k a0 a1 a2 a3 a4 a5 a6 a7 a8 a9 = if k = 0 then a0 + 3 * a1 + 3 * a2 + 3 * a3 + 3 * a4 + 3 * a5 + 3 * a6 + 3 * a7 + 3 * a8 + 3 * a9 else loop10 (k - 1) a1 a2 a3 a4 a5 a6 a7 a8 a9 a0
let () = Printf.printf "%d\n" (loop10 300010 0 1 4 9 16 25 36 49 64 81)
let rec loop11 k a0 a1 a2 a3 a4 a5 a6 a7 a8 a9 a10 = if k = 0 then a0 + 3 * a1 + 3 * a2 + 3 * a3 + 3 * a4 + 3 * a5 + 3 * a6 + 3 * a7 + 3 * a8 + 3 * a9 + 3 * a10 else loop11 (k - 1) a1 a2 a3 a4 a5 a6 a7 a8 a9 a10 a0
let () = Printf.printf "%d\n" (loop11 300011 0 1 4 9 16 25 36 49 64 81 100)
let rec loop12 k a0 a1 a2 a3 a4 a5 a6 a7 a8 a9 a10 a11 = if k = 0 then a0 + 3 * a1 + 3 * a2 + 3 * a3 + 3 * a4 + 3 * a5 + 3 * a6 + 3 * a7 + 3 * a8 + 3 * a9 + 3 * a10 + 3 * a11 else loop12 (k - 1) a1 a2 a3 a4 a5 a6 a7 a8 a9 a10 a11 a0
let () = Printf.printf "%d\n" (loop12 300012 0 1 4 9 16 25 36 49 64 81 100 121)
let rec loop15 k a0 a1 a2 a3 a4 a5 a6 a7 a8 a9 a10 a11 a12 a13 a14 = if k = 0 then a0 + 3 * a1 + 3 * a2 + 3 * a3 + 3 * a4 + 3 * a5 + 3 * a6 + 3 * a7 + 3 * a8 + 3 * a9 + 3 * a10 + 3 * a11 + 3 * a12 + 3 * a13 + 3 * a14 else loop15 (k - 1) a1 a2 a3 a4 a5 a6 a7 a8 a9 a10 a11 a12 a13 a14 a0
let () = Printf.printf "%d\n" (loop15 300015 0 1 4 9 16 25 36 49 64 81 100 121 144 169 196)
let rec loop20 k a0 a1 a2 a3 a4 a5 a6 a7 a8 a9 a10 a11 a12 a13 a14 a15 a16 a17 a18 a19 = if k = 0 then a0 + 3 * a1 + 3 * a2 + 3 * a3 + 3 * a4 + 3 * a5 + 3 * a6 + 3 * a7 + 3 * a8 + 3 * a9 + 3 * a10 + 3 * a11 + 3 * a12 + 3 * a13 + 3 * a14 + 3 * a15 + 3 * a16 + 3 * a17 + 3 * a18 + 3 * a19 else loop20 (k - 1) a1 a2 a3 a4 a5 a6 a7 a8 a9 a10 a11 a12 a13 a14 a15 a16 a17 a18 a19 a0
let () = Printf.printf "%d\n" (loop20 300020 0 1 4 9 16 25 36 49 64 81 100 121 144 169 196 225 256 289 324 361)
let rec loop26 k a0 a1 a2 a3 a4 a5 a6 a7 a8 a9 a10 a11 a12 a13 a14 a15 a16 a17 a18 a19 a20 a21 a22 a23 a24 a25 = if k = 0 then a0 + 3 * a1 + 3 * a2 + 3 * a3 + 3 * a4 + 3 * a5 + 3 * a6 + 3 * a7 + 3 * a8 + 3 * a9 + 3 * a10 + 3 * a11 + 3 * a12 + 3 * a13 + 3 * a14 + 3 * a15 + 3 * a16 + 3 * a17 + 3 * a18 + 3 * a19 + 3 * a20 + 3 * a21 + 3 * a22 + 3 * a23 + 3 * a24 + 3 * a25 else loop26 (k - 1) a1 a2 a3 a4 a5 a6 a7 a8 a9 a10 a11 a12 a13 a14 a15 a16 a17 a18 a19 a20 a21 a22 a23 a24 a25 a0
let () = Printf.printf "%d\n" (loop26 300026 0 1 4 9 16 25 36 49 64 81 100 121 144 169 196 225 256 289 324 361 400 441 484 529 576 625)
let rec m3 k a0 a1 a2 = if k = 0 then a0 - a1 - a2 else n3 (k - 1) a1 a2 a0 and n3 k a0 a1 a2 = if k = 0 then a0 + a1 + a2 else (o m3) (k - 1) a0 a1 a2
let () = Printf.printf "%d\n" (m3 1000001 0 7 14)
let rec m6 k a0 a1 a2 a3 a4 a5 = if k = 0 then a0 - a1 - a2 - a3 - a4 - a5 else n6 (k - 1) a1 a2 a3 a4 a5 a0 and n6 k a0 a1 a2 a3 a4 a5 = if k = 0 then a0 + a1 + a2 + a3 + a4 + a5 else (o m6) (k - 1) a0 a1 a2 a3 a4 a5
let () = Printf.printf "%d\n" (m6 1000001 0 7 14 21 28 35)
let rec m9 k a0 a1 a2 a3 a4 a5 a6 a7 a8 = if k = 0 then a0 - a1 - a2 - a3 - a4 - a5 - a6 - a7 - a8 else n9 (k - 1) a1 a2 a3 a4 a5 a6 a7 a8 a0 and n9 k a0 a1 a2 a3 a4 a5 a6 a7 a8 = if k = 0 then a0 + a1 + a2 + a3 + a4 + a5 + a6 + a7 + a8 else m9 (k - 1) a0 a1 a2 a3 a4 a5 a6 a7 a8
let () = Printf.printf "%d\n" (m9 1000001 0 7 14 21 28 35 42 49 56)
let rec m14 k a0 a1 a2 a3 a4 a5 a6 a7 a8 a9 a10 a11 a12 a13 = if k = 0 then a0 - a1 - a2 - a3 - a4 - a5 - a6 - a7 - a8 - a9 - a10 - a11 - a12 - a13 else n14 (k - 1) a1 a2 a3 a4 a5 a6 a7 a8 a9 a10 a11 a12 a13 a0 and n14 k a0 a1 a2 a3 a4 a5 a6 a7 a8 a9 a10 a11 a12 a13 = if k = 0 then a0 + a1 + a2 + a3 + a4 + a5 + a6 + a7 + a8 + a9 + a10 + a11 + a12 + a13 else (o m14) (k - 1) a0 a1 a2 a3 a4 a5 a6 a7 a8 a9 a10 a11 a12 a13
let () = Printf.printf "%d\n" (m14 2001 0 7 14 21 28 35 42 49 56 63 70 77 84 91)
let rec fl k x0 x1 x2 x3 x4 x5 x6 x7 x8 x9 x10 x11 = if k = 0 then x0 -. x1 -. x2 -. x3 -. x4 -. x5 -. x6 -. x7 -. x8 -. x9 -. x10 -. x11 else fl (k - 1) x1 x2 x3 x4 x5 x6 x7 x8 x9 x10 x11 (x0 +. 0.5)
let () = Printf.printf "%g\n" (fl 100000 0.0 0.5 1.0 1.5 2.0 2.5 3.0 3.5 4.0 4.5 5.0 5.5)
let rec t2 (k, a0, a1) = if k = 0 then a0 + 2 * a1 else t2 (k - 1, a1, a0)
let () = Printf.printf "%d\n" (t2 (200001, 0, 3))
let rec t3 (k, a0, a1, a2) = if k = 0 then a0 + 2 * a1 + 2 * a2 else t3 (k - 1, a1, a2, a0)
let () = Printf.printf "%d\n" (t3 (200001, 0, 3, 6))
let rec t8 (k, a0, a1, a2, a3, a4, a5, a6, a7) = if k = 0 then a0 + 2 * a1 + 2 * a2 + 2 * a3 + 2 * a4 + 2 * a5 + 2 * a6 + 2 * a7 else t8 (k - 1, a1, a2, a3, a4, a5, a6, a7, a0)
let () = Printf.printf "%d\n" (t8 (200001, 0, 3, 6, 9, 12, 15, 18, 21))
let rec t20 (k, a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15, a16, a17, a18, a19) = if k = 0 then a0 + 2 * a1 + 2 * a2 + 2 * a3 + 2 * a4 + 2 * a5 + 2 * a6 + 2 * a7 + 2 * a8 + 2 * a9 + 2 * a10 + 2 * a11 + 2 * a12 + 2 * a13 + 2 * a14 + 2 * a15 + 2 * a16 + 2 * a17 + 2 * a18 + 2 * a19 else t20 (k - 1, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15, a16, a17, a18, a19, a0)
let () = Printf.printf "%d\n" (t20 (1001, 0, 3, 6, 9, 12, 15, 18, 21, 24, 27, 30, 33, 36, 39, 42, 45, 48, 51, 54, 57))
