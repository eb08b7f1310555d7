(* Sorting algorithms on arrays of any type, with a comparison passed in or polymorphic compare. *)

let swap a i j =
  let t = a.(i) in
  a.(i) <- a.(j);
  a.(j) <- t

let insertion_sort cmp a lo hi =
  for i = lo + 1 to hi do
    let x = a.(i) in
    let j = ref (i - 1) in
    while !j >= lo && cmp a.(!j) x > 0 do
      a.(!j + 1) <- a.(!j);
      decr j
    done;
    a.(!j + 1) <- x
  done

let median_of_three cmp a lo hi =
  let mid = lo + ((hi - lo) / 2) in
  if cmp a.(mid) a.(lo) < 0 then swap a mid lo;
  if cmp a.(hi) a.(lo) < 0 then swap a hi lo;
  if cmp a.(hi) a.(mid) < 0 then swap a hi mid;
  a.(mid)

let quick_sort cmp a =
  let rec go lo hi =
    if hi - lo < 12 then insertion_sort cmp a lo hi
    else begin
      let pivot = median_of_three cmp a lo hi in
      let i = ref lo and j = ref hi in
      while !i <= !j do
        while cmp a.(!i) pivot < 0 do incr i done;
        while cmp a.(!j) pivot > 0 do decr j done;
        if !i <= !j then begin
          swap a !i !j;
          incr i;
          decr j
        end
      done;
      go lo !j;
      go !i hi
    end
  in
  go 0 (Array.length a - 1)

let merge_sort cmp a =
  let buffer = Array.copy a in
  let merge lo mid hi =
    Array.blit a lo buffer lo (hi - lo);
    let i = ref lo and j = ref mid in
    for k = lo to hi - 1 do
      if !i < mid && (!j >= hi || cmp buffer.(!i) buffer.(!j) <= 0) then begin
        a.(k) <- buffer.(!i);
        incr i
      end
      else begin
        a.(k) <- buffer.(!j);
        incr j
      end
    done
  in
  let rec go lo hi =
    if hi - lo > 1 then begin
      let mid = (lo + hi) / 2 in
      go lo mid;
      go mid hi;
      merge lo mid hi
    end
  in
  go 0 (Array.length a)

let shell_sort cmp a =
  let n = Array.length a in
  let rec gaps g = if g >= n then g else gaps ((3 * g) + 1) in
  let gap = ref (gaps 1) in
  while !gap >= 1 do
    for i = !gap to n - 1 do
      let x = a.(i) in
      let j = ref i in
      while !j >= !gap && cmp a.(!j - !gap) x > 0 do
        a.(!j) <- a.(!j - !gap);
        j := !j - !gap
      done;
      a.(!j) <- x
    done;
    gap := !gap / 3
  done

let is_sorted cmp a =
  let rec go i = i >= Array.length a || (cmp a.(i - 1) a.(i) <= 0 && go (i + 1)) in
  go 1

type suit = Clubs | Diamonds | Hearts | Spades
type card = { suit : suit; value : int; owner : string }

let by_owner a b = match String.compare a.owner b.owner with 0 -> Int.compare a.value b.value | c -> c
let noise i = ((i * 1103515245) + 12345) lsr 3 land 0xfffff

let card i =
  let n = noise i in
  let suit = match n land 3 with 0 -> Clubs | 1 -> Diamonds | 2 -> Hearts | _ -> Spades in
  { suit; value = n lsr 2 mod 997; owner = Printf.sprintf "player%d" (n mod 17) }

(* Sorts copies of [a] with each algorithm and gives what stands at a quarter. *)
let check name cmp a =
  let sort_with algorithm =
    let copy = Array.copy a in
    algorithm cmp copy;
    assert (is_sorted cmp copy);
    copy.(Array.length copy / 4)
  in
  let quarters = List.map sort_with [ quick_sort; merge_sort; shell_sort ] in
  let same = List.for_all (fun x -> cmp x (List.hd quarters) = 0) quarters in
  Printf.printf "%s: %d sorted, agree %b\n" name (Array.length a) same;
  List.hd quarters

let () =
  let n = 170_000 in
  let ints = Array.init n noise in
  Printf.printf "quarter %d\n" (check "ints" Int.compare ints);
  Printf.printf "quarter %d\n" (check "ints, polymorphic" compare ints);
  let floats = Array.map (fun i -> sqrt (float_of_int i)) ints in
  Printf.printf "quarter %.4f\n" (check "floats" (fun (x : float) y -> compare x y) floats);
  Printf.printf "quarter %d\n" (snd (check "pairs" compare (Array.map (fun i -> (i land 255, i)) ints)));
  let cards = Array.init (n / 2) card in
  Printf.printf "quarter %d\n" (check "cards" by_owner cards).value
