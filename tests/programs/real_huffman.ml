(* flags: -w -a *)
(* Huffman coding with a heap, bit buffers, canonical codes, and a round trip; then LZ77 on top. *)
type tree = Leaf of int * char | Node of int * tree * tree
let weight = function Leaf (w, _) | Node (w, _, _) -> w
module Heap = struct
  type 'a t = { mutable a : 'a array; mutable n : int; lt : 'a -> 'a -> bool }
  let create lt = { a = [||]; n = 0; lt }
  let push h x = if h.n = Array.length h.a then (let b = Array.make (max 4 (2 * h.n)) x in Array.blit h.a 0 b 0 h.n; h.a <- b); h.a.(h.n) <- x; let i = ref h.n in h.n <- h.n + 1; while !i > 0 && h.lt h.a.(!i) h.a.((!i - 1) / 2) do let p = (!i - 1) / 2 in let t = h.a.(p) in h.a.(p) <- h.a.(!i); h.a.(!i) <- t; i := p done
  let pop h = if h.n = 0 then raise Not_found; let r = h.a.(0) in h.n <- h.n - 1; h.a.(0) <- h.a.(h.n);
    let rec down i = let m = ref i in List.iter (fun c -> if c < h.n && h.lt h.a.(c) h.a.(!m) then m := c) [ (2 * i) + 1; (2 * i) + 2 ]; if !m <> i then (let t = h.a.(i) in h.a.(i) <- h.a.(!m); h.a.(!m) <- t; down !m) in down 0; r
end
let freqs s = let f = Array.make 256 0 in String.iter (fun c -> f.(Char.code c) <- f.(Char.code c) + 1) s; f
let rec first = function Leaf (_, c) -> c | Node (_, l, _) -> first l
let build s = let h = Heap.create (fun a b -> let w = compare (weight a) (weight b) in w < 0 || (w = 0 && first a < first b)) in
  Array.iteri (fun i n -> if n > 0 then Heap.push h (Leaf (n, Char.chr i))) (freqs s);
  if h.Heap.n = 1 then Heap.push h (Leaf (0, '\000'));
  while h.Heap.n > 1 do let a = Heap.pop h in let b = Heap.pop h in Heap.push h (Node (weight a + weight b, a, b)) done; Heap.pop h
let codes t = let tbl = Hashtbl.create 64 in let rec go t acc = match t with Leaf (_, c) -> Hashtbl.replace tbl c (List.rev acc) | Node (_, l, r) -> go l (false :: acc); go r (true :: acc) in go t []; tbl
class bitwriter = object val b = Buffer.create 64 val mutable cur = 0 val mutable n = 0 val mutable total = 0 method bit x = cur <- (cur lsl 1) lor (if x then 1 else 0); n <- n + 1; total <- total + 1; if n = 8 then (Buffer.add_char b (Char.chr cur); cur <- 0; n <- 0) method finish = if n > 0 then Buffer.add_char b (Char.chr (cur lsl (8 - n))); Buffer.contents b method total = total end
let encode s = let t = build s in let c = codes t in let w = new bitwriter in String.iter (fun ch -> List.iter w#bit (Hashtbl.find c ch)) s; (t, w#finish, w#total)
let decode (t, data, bits) = let b = Buffer.create 64 in let rec go i node = match node with Leaf (_, c) -> Buffer.add_char b c; if i < bits then go i t | Node (_, l, r) -> if i < bits then go (i + 1) (if Char.code data.[i lsr 3] land (0x80 lsr (i land 7)) <> 0 then r else l) in if bits > 0 then go 0 t; Buffer.contents b
let lz s = let n = String.length s in let rec go i acc = if i >= n then List.rev acc else begin let best = ref 0 and off = ref 0 in for j = max 0 (i - 64) to i - 1 do let k = ref 0 in while i + !k < n && !k < 20 && s.[j + !k] = s.[i + !k] do incr k done; if !k > !best then (best := !k; off := i - j) done; if !best >= 3 then go (i + !best) (`Copy (!off, !best) :: acc) else go (i + 1) (`Lit s.[i] :: acc) end in go 0 []
let unlz l = let b = Buffer.create 64 in List.iter (function `Lit c -> Buffer.add_char b c | `Copy (off, len) -> for _ = 1 to len do Buffer.add_char b (Buffer.nth b (Buffer.length b - off)) done) l; Buffer.contents b
let () = List.iter (fun s ->
  let ((t, data, bits) as e) = encode s in
  let toks = lz s in
  Printf.printf "%d chars -> %d bits, ok %b, %d tokens, ok %b\n" (String.length s) bits (decode e = s) (List.length toks) (unlz toks = s);
  let c = codes t in Hashtbl.fold (fun ch l acc -> (List.length l, ch) :: acc) c [] |> List.sort compare |> List.filteri (fun i _ -> i < 5) |> List.iter (fun (n, ch) -> Printf.printf "%C:%d " ch n); print_newline ())
  [ "a"; "aaaaaaaa"; "abracadabra"; "the quick brown fox jumps over the lazy dog, the quick brown fox"; String.concat "," (List.init 200 string_of_int); String.init 256 Char.chr ]
