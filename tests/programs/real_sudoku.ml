(* flags: -w -a *)
(* Sudoku with bit sets, constraint propagation and backtracking by exceptions. *)
exception Contradiction
let popcount n = let rec go n c = if n = 0 then c else go (n land (n - 1)) (c + 1) in go n 0
let units = Array.init 27 (fun u -> Array.init 9 (fun k -> if u < 9 then (u * 9) + k else if u < 18 then (k * 9) + (u - 9) else let b = u - 18 in (((b / 3 * 3) + (k / 3)) * 9) + (b mod 3 * 3) + (k mod 3)))
let peers = Array.init 81 (fun c -> Array.to_list units |> List.filter (Array.mem c) |> List.concat_map Array.to_list |> List.filter (( <> ) c) |> List.sort_uniq compare |> Array.of_list)
let steps = ref 0
let rec assign b c bit = let others = b.(c) land lnot bit in let d = ref others in while !d <> 0 do let low = !d land - !d in eliminate b c low; d := !d land lnot low done
and eliminate b c bit =
  if b.(c) land bit <> 0 then begin
    incr steps;
    b.(c) <- b.(c) land lnot bit;
    if b.(c) = 0 then raise_notrace Contradiction;
    if popcount b.(c) = 1 then Array.iter (fun p -> eliminate b p b.(c)) peers.(c);
    Array.iter (fun u -> if Array.mem c u then begin
      let place = ref (-1) and n = ref 0 in
      Array.iter (fun k -> if b.(k) land bit <> 0 then (place := k; incr n)) u;
      if !n = 0 then raise_notrace Contradiction else if !n = 1 && popcount b.(!place) > 1 then assign b !place bit
    end) units
  end
let parse s = let b = Array.make 81 0x1ff in String.iteri (fun i ch -> match ch with '1' .. '9' -> assign b i (1 lsl (Char.code ch - 49)) | _ -> ()) s; b
let rec solve b =
  let best = ref (-1) and bc = ref 10 in
  Array.iteri (fun i v -> let n = popcount v in if n > 1 && n < !bc then (best := i; bc := n)) b;
  if !best < 0 then Some b else begin
    let rec try_ d = if d = 9 then None else if b.(!best) land (1 lsl d) = 0 then try_ (d + 1) else
      match (try let c = Array.copy b in assign c !best (1 lsl d); solve c with Contradiction -> None) with Some _ as r -> r | None -> try_ (d + 1) in
    try_ 0
  end
let log2 n = let rec go n k = if n <= 1 then k else go (n lsr 1) (k + 1) in go n 0
let show b = for r = 0 to 8 do for c = 0 to 8 do print_char (Char.chr (49 + log2 b.((r * 9) + c))); if c = 2 || c = 5 then print_char '|' done; print_newline () done
let valid b = Array.for_all (fun u -> Array.fold_left (fun m c -> m lor b.(c)) 0 u = 0x1ff) units
let () = List.iter (fun p -> steps := 0; (match (try solve (parse p) with Contradiction -> None) with Some b -> show b; Printf.printf "valid %b, %d eliminations\n" (valid b) !steps | None -> Printf.printf "no solution after %d\n" !steps)) [
  "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79"; "4.....8.5.3..........7......2.....6.....8.4......1.......6.3.7.5..2.....1.4......"; "55......." ^ String.make 72 '.'; String.make 81 '.' ]
