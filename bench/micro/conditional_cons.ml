(* Boxes that exist are not made again (W3, S1): loops that change a reference to a block in a few iterations only. *)

let row = Measure.row

let () =
  row "S1 conditional cons, matched after" (fun n ->
      let r = ref [] in
      for i = 1 to n do
        if i land 255 = 0 then r := i :: !r
      done;
      match !r with [] -> [] | _ :: l -> l);
  row "S1 conditional cons, length after" (fun n ->
      let r = ref [] in
      for i = 1 to n do
        if i land 63 = 0 then r := i :: !r
      done;
      List.length !r);
  row "S1 conditional cons, folded after" (fun n ->
      let r = ref [] in
      for i = 1 to n do
        if i land 63 = 0 then r := i :: !r
      done;
      List.fold_left ( + ) 0 !r);
  row "S1 conditional cons, while" (fun n ->
      let r = ref [] and i = ref 0 in
      while !i < n do
        if !i land 127 = 0 then r := !i :: !r;
        incr i
      done;
      match !r with x :: _ -> x | [] -> -1)

(* The array is known in no function that is compiled with the loop. *)
let marks = Array.init Measure.n (fun i -> if i mod 250 = 0 then -i else i)

let () =
  row "S1 Array.fold_left, conditional cons" (fun _ ->
      match Array.fold_left (fun l x -> if x < 0 then x :: l else l) [] marks with [] -> 0 | x :: _ -> x)

exception Stop

let check i = if Sys.opaque_identity i < 0 then raise Stop [@@inline never]

let () =
  row "S1 conditional cons in a try" (fun n ->
      let r = ref [] in
      (try
         for i = 1 to n do
           check i;
           if i land 255 = 0 then r := i :: !r
         done
       with Stop -> ());
      match !r with [] -> [] | _ :: l -> l)

let text = String.init Measure.n (fun i -> if i mod 50 = 49 then ' ' else 'x')

let () =
  row "S1 splitting a string" (fun n ->
      let words = ref [] and from = ref 0 in
      for i = 0 to n - 1 do
        if text.[i] = ' ' then begin
          words := String.sub text !from (i - !from) :: !words;
          from := i + 1
        end
      done;
      match !words with [] -> 0 | w :: l -> String.length w + List.length l);
  row "S1 out := !cur :: !out" (fun n ->
      let cur = ref [] and out = ref [] in
      for i = 1 to n do
        cur := i :: !cur;
        if i land 63 = 0 then begin
          out := !cur :: !out;
          cur := []
        end
      done;
      match (!cur, !out) with x :: _, (y :: _) :: l -> x + y + List.length l | _ -> 0)

type stack = Empty | Push of { top : int; depth : int; below : stack }

let () =
  row "S1 a variant of one's own" (fun n ->
      let s = ref Empty in
      for i = 1 to n do
        if i land 127 = 0 then
          s := Push { top = i; depth = (match !s with Empty -> 1 | Push p -> p.depth + 1); below = !s }
      done;
      match !s with Empty -> 0 | Push p -> p.top + p.depth)

let () =
  row "S1 an option that is replaced now and then" (fun n ->
      let best = ref None in
      for i = 1 to n do
        let score = i * 37 land 1023 in
        match !best with
        | Some (_, b) when b >= score -> ()
        | _ -> best := Some (i, score)
      done;
      match !best with None -> 0 | Some (i, s) -> i + s);
  row "W3 the same cell twice" (fun n ->
      let l = ref [] and m = ref [] in
      for i = 1 to n do
        if i = 1 then l := i :: !l;
        if i = 2 then m := !l
      done;
      match !l with [] -> true | _ :: _ -> !l == !m)

(* One cell is handed on: each reference is to the same. *)
let keep : int list array = Array.make Measure.n []

let () =
  row "W3 a thousand references to one cell" (fun n ->
      let l = ref [] in
      for i = 0 to n - 1 do
        if i = 0 then l := [ i ];
        match !l with [] -> () | _ :: _ -> keep.(i) <- !l
      done;
      keep.(0) == keep.(n - 1))
