(* Functions of another unit that are inlined: by [@unrolled] (B10), for their only use (B8), for known arguments (B7). *)

let repeat f n =
  let s = ref 0 in
  for i = 1 to n do
    s := (!s + f i) land 0xffffff
  done;
  !s
[@@inline]

let k1 = Lib.big 3 4

let () =
  let row = Measure.row in
  row "B10 [@unrolled 3] across units" (repeat (fun i -> (Lib.pow [@unrolled 3]) 3 i));
  row "B8 a hidden function used once" (repeat (fun i -> Lib.single i 3 i));
  row "B7 a toplevel call with known arguments" (fun n -> k1 * n)
