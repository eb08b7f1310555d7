(* Arithmetic, order of integers, bounds and dead work (D1, D2, D11, D17): nothing is allocated, so that only
   --instructions shows them. *)

let row = Measure.row

let repeat f n =
  let s = ref 0 in
  for i = 1 to n do
    s := !s + f i
  done;
  !s
[@@inline]

type rg = R | G

let[@inline never] same c = match c with R -> R | G -> G

let () =
  row "D17 (x + y) - y" (repeat (fun i -> let y = Sys.opaque_identity 3 in i + y - y));
  row "D17 (x lsl 1) lsl 2" (repeat (fun i -> (i lsl 1) lsl 2));
  row "D17 (x land 255) land 15" (repeat (fun i -> i land 255 land 15));
  row "D17 not (not b)" (repeat (fun i -> if not (not (i land 1 = 0)) then 1 else 0));
  row "D17 if x < 10 then if x < 20" (repeat (fun x -> if x < 10 then if x < 20 then 1 else 2 else if x >= 10 then 3 else 4));
  row "D2 match c with R -> R | G -> G" (repeat (fun i -> if same (if i land 1 = 0 then R else G) = R then 1 else 2))

let table = Array.init Measure.n (fun i -> i)

let () =
  row "D11 a guard on equal lengths" (fun _ ->
      let a = Sys.opaque_identity table and b = Sys.opaque_identity table in
      assert (Array.length a = Array.length b);
      let s = ref 0 in
      for i = 0 to Array.length a - 1 do
        s := !s + (a.(i) * b.(i))
      done;
      !s);
  row "D11 a call in the loop" (fun _ ->
      let a = Sys.opaque_identity table and s = ref 0 in
      for i = 0 to Array.length a - 1 do
        s := Sys.opaque_identity (same R |> fun c -> if c = R then !s + a.(i) else 0)
      done;
      !s);
  row "D11 if i = n then stop" (fun _ ->
      let a = Sys.opaque_identity table in
      let n = Array.length a in
      let rec go i s = if i = n then s else go (i + 1) (s + a.(i)) in
      go 0 0);
  row "D11 lengths of what was made here" (fun n ->
      let a = Array.make n 0 in
      for i = 0 to n - 1 do
        a.(i) <- i
      done;
      a.(n - 1));
  row "D11 the least of two lengths" (fun _ ->
      let a = Sys.opaque_identity table and b = Sys.opaque_identity table in
      let s = ref 0 in
      for i = 0 to min (Array.length a) (Array.length b) - 1 do
        s := !s + a.(i) - b.(i)
      done;
      !s);
  row "D11 a.(y * w + x)" (fun _ ->
      let w = Sys.opaque_identity 20 and h = 50 and a = Sys.opaque_identity table and s = ref 0 in
      if Array.length a = w * h then
        for y = 0 to h - 1 do
          for x = 0 to w - 1 do
            s := !s + a.((y * w) + x)
          done
        done;
      !s)

exception Slow of int

(* B15: a hot path with a bounds check, and a cold part with a loop. *)
let lookup a i =
  if i >= 0 && i < Array.length a then a.(i)
  else begin
    let s = ref 0 in
    for k = 0 to Array.length a - 1 do
      s := (!s * 31) + a.(k)
    done;
    List.iter (fun x -> if x = !s then raise (Slow x)) [ 1; 2; 3 ];
    !s land 255
  end

let () = row "B15 a hot path, and a cold part with a loop" (repeat (fun i -> lookup table (i - 1)))
