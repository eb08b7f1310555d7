(* Loop shapes: each function is one. crates/flambeau/tests/loop_checks.rs counts those in which a check of bounds is left in a
   loop. Left are: lengths of what functions of the library made that are not inlined, copies, rows of a matrix, and sizes w * h
   that may wrap around. *)
let[@inline never] opaque (x : int) = ignore (Sys.opaque_identity x)

let shape_001 (a : int array) = let s = ref 0 in for i = 0 to Array.length a - 1 do s := !s + a.(i) done; !s

let shape_002 (a : float array) = let s = ref 0. in for i = 0 to Array.length a - 1 do s := !s +. a.(i) done; !s

let shape_003 (a : 'a array) (g : 'a -> unit) = for i = 0 to Array.length a - 1 do g a.(i) done

let shape_004 (s : string) = let h = ref 0 in for i = 0 to String.length s - 1 do h := !h * 31 + Char.code s.[i] done; !h

let shape_005 (b : bytes) = for i = 0 to Bytes.length b - 1 do Bytes.set b i 'x' done

let shape_006 (a : int array) = let i = ref 0 in let s = ref 0 in while !i < Array.length a do s := !s + a.(!i); incr i done; !s

let shape_007 (a : int array) = let s = ref 0 in for i = Array.length a - 1 downto 0 do s := !s + a.(i) done; !s

let shape_008 (a : int array) = let n = Array.length a in let rec go i s = if i >= n then s else go (i + 1) (s + a.(i)) in go 0 0

let shape_009 (a : int array) = let n = Array.length a in let rec go i s = if i < n then go (i + 1) (s + a.(i)) else s in go 0 0

let shape_010 (a : int array) = let rec go i s = if i < 0 then s else go (i - 1) (s + a.(i)) in go (Array.length a - 1) 0

let shape_011 (a : int array) = let n = Array.length a in let i = ref 0 in while !i < n - 1 do a.(!i) <- a.(!i + 1); incr i done

let shape_012 (a : int array) = for i = 1 to Array.length a - 1 do a.(i) <- a.(i) + a.(i - 1) done

let shape_013 (a : int array) = for i = 0 to Array.length a - 2 do if a.(i) > a.(i + 1) then a.(i) <- 0 done

let shape_014 (a : int array) = let i = ref 0 in while !i + 1 < Array.length a do a.(!i) <- a.(!i + 1); i := !i + 2 done

let shape_015 (a : int array) = let n = Array.length a in for i = 0 to n / 2 - 1 do let t = a.(i) in a.(i) <- a.(n - 1 - i); a.(n - 1 - i) <- t done

let shape_016 (a : int array) = let i = ref 0 and j = ref (Array.length a - 1) in while !i < !j do let t = a.(!i) in a.(!i) <- a.(!j); a.(!j) <- t; incr i; decr j done

let shape_017 (a : int array) = let n = Array.length a in let rec go i s = if i = n then s else go (i + 1) (s + a.(i)) in go 0 0

let shape_018 (a : int array) = let rec go i s = if i = Array.length a then s else go (i + 1) (s + a.(i)) in go 0 0

let shape_019 (s : string) = let n = String.length s in let rec go i = if i = n then true else if s.[i] = ' ' then go (i + 1) else false in go 0

let shape_020 (s : string) c = let n = String.length s in let rec go i = if i = n then -1 else if s.[i] = c then i else go (i + 1) in go 0

let shape_021 (a : int array) x = let n = Array.length a in let rec go i = i <> n && (a.(i) = x || go (i + 1)) in go 0

let shape_022 (a : int array) = let rec go i s = if i = -1 then s else go (i - 1) (s + a.(i)) in go (Array.length a - 1) 0

let shape_023 (a : int array) = let i = ref 0 in let s = ref 0 in while !i <> Array.length a do s := !s + a.(!i); incr i done; !s

let shape_024 (a : float array) = let n = Array.length a in let rec go i s = if i = n then s else go (i + 1) (s +. a.(i)) in go 0 0.

let shape_025 (a : int array) = let n = Array.length a in let i = ref 0 in (try while true do if !i = n then raise Exit; a.(!i) <- 0; incr i done with Exit -> ())

let shape_026 (a : string array) = let n = Array.length a in let rec go i l = if i = n then l else go (i + 1) (a.(i) :: l) in go 0 []

let shape_027 (a : int array) (b : int array) = assert (Array.length a = Array.length b); let s = ref 0 in for i = 0 to Array.length a - 1 do s := !s + a.(i) * b.(i) done; !s

let shape_028 (a : float array) (b : float array) = assert (Array.length a = Array.length b); let s = ref 0. in for i = 0 to Array.length a - 1 do s := !s +. a.(i) *. b.(i) done; !s

let shape_029 (a : float array) (b : float array) = if Array.length a <> Array.length b then invalid_arg "dot"; let s = ref 0. in for i = 0 to Array.length b - 1 do s := !s +. a.(i) *. b.(i) done; !s

let shape_030 (a : int array) (b : int array) = assert (Array.length a <= Array.length b); for i = 0 to Array.length a - 1 do b.(i) <- a.(i) done

let shape_031 (a : string) (b : bytes) = assert (String.length a = Bytes.length b); for i = 0 to String.length a - 1 do Bytes.set b i a.[i] done

let shape_032 (a : int array) (b : int array) = if Array.length a = Array.length b then for i = 0 to Array.length a - 1 do a.(i) <- b.(i) done

let shape_033 (a : int array) n = assert (n >= 0 && n <= Array.length a); for i = 0 to n - 1 do a.(i) <- i done

let shape_034 (a : int array) n = assert (Array.length a = n); for i = 0 to n - 1 do a.(i) <- i done

let shape_035 (a : int array) lo hi = if lo < 0 || hi < lo || hi > Array.length a then invalid_arg "range"; let s = ref 0 in for i = lo to hi - 1 do s := !s + a.(i) done; !s

let shape_036 (a : int array) pos len = if pos < 0 || len < 0 || pos > Array.length a - len then invalid_arg "sub"; let s = ref 0 in for i = pos to pos + len - 1 do s := !s + a.(i) done; !s

let shape_037 (a : int array) pos len = if pos < 0 || len < 0 || pos > Array.length a - len then invalid_arg "sub"; let s = ref 0 in for i = 0 to len - 1 do s := !s + a.(pos + i) done; !s

let shape_038 (s : string) pos = if pos < 0 || pos > String.length s then invalid_arg "from"; let rec go i = if i >= String.length s then -1 else if s.[i] = 'x' then i else go (i + 1) in go pos

let shape_039 (a : int array) (b : int array) (c : int array) = assert (Array.length a = Array.length b && Array.length b = Array.length c); for i = 0 to Array.length c - 1 do c.(i) <- a.(i) + b.(i) done

let shape_040 (x : float array) (y : float array) k = let n = Array.length x in if Array.length y <> n then failwith "axpy"; for i = 0 to n - 1 do y.(i) <- y.(i) +. k *. x.(i) done

let shape_041 n = let a = Array.make n 0 in for i = 0 to n - 1 do a.(i) <- i * i done; a

let shape_042 n = let a = Array.make n 0. in for i = 0 to n - 1 do a.(i) <- float_of_int i done; a

let shape_043 n = let b = Bytes.create n in for i = 0 to n - 1 do Bytes.set b i 'a' done; b

let shape_044 n = let b = Bytes.make n ' ' in for i = 0 to n - 1 do Bytes.set b i (Char.chr (i land 255)) done; Bytes.to_string b

let shape_045 (a : int array) = let b = Array.copy a in for i = 0 to Array.length a - 1 do b.(i) <- a.(i) + 1 done; b

let shape_046 (a : int array) = let b = Array.make (Array.length a) 0 in for i = 0 to Array.length a - 1 do b.(i) <- a.(i) done; b

let shape_047 (a : int array) = let n = Array.length a in let b = Array.make (n + 1) 0 in for i = 0 to n - 1 do b.(i + 1) <- b.(i) + a.(i) done; b

let shape_048 () = let a = Array.make 256 0 in for i = 0 to 255 do a.(i) <- i done; a

let shape_049 (s : string) = let t = Array.make 256 0 in for i = 0 to String.length s - 1 do let c = Char.code s.[i] in t.(c) <- t.(c) + 1 done; t

let shape_050 () = let a = [| 1; 2; 3; 4 |] in let s = ref 0 in for i = 0 to 3 do s := !s + a.(i); a.(i) <- 0 done; !s

let shape_051 () = let s = ref 0 in let a = [| 1; 2; 3; 4; 5 |] in for i = 0 to Array.length a - 1 do s := !s + a.(i) done; !s

let shape_052 n = let sieve = Bytes.make (n + 1) '\001' in for i = 2 to n do if Bytes.get sieve i = '\001' then begin let j = ref (i * 2) in while !j <= n do Bytes.set sieve !j '\000'; j := !j + i done end done; sieve

let shape_053 n = let p = Array.make (n + 1) true in let i = ref 2 in while !i <= n do (if p.(!i) then let j = ref (!i + !i) in while !j <= n do p.(!j) <- false; j := !j + !i done); incr i done; p

let shape_054 n = let f = Array.make (n + 2) 0 in f.(1) <- 1; for i = 2 to n do f.(i) <- f.(i - 1) + f.(i - 2) done; f.(n)

let shape_055 (s : string) = let n = String.length s in let b = Bytes.create n in for i = 0 to n - 1 do Bytes.set b i s.[n - 1 - i] done; Bytes.unsafe_to_string b

let shape_056 n = let q = Array.make n 0 in let head = ref 0 and tail = ref 0 in while !tail < n do q.(!tail) <- !tail; incr tail done; while !head < !tail do ignore (Sys.opaque_identity q.(!head)); incr head done

let shape_057 (a : int array) = let n = Array.length a in let c = Array.sub a 0 n in for i = 0 to n - 1 do c.(i) <- 0 done; c

let shape_058 w = let row = Array.make w 0. in let next = Array.make w 0. in for i = 1 to w - 2 do next.(i) <- (row.(i - 1) +. row.(i) +. row.(i + 1)) /. 3. done; next

let shape_059 (a : int array) (b : int array) = let n = min (Array.length a) (Array.length b) in for i = 0 to n - 1 do a.(i) <- b.(i) done

let shape_060 (a : int array) (b : int array) = let la = Array.length a and lb = Array.length b in let n = if la < lb then la else lb in for i = 0 to n - 1 do a.(i) <- b.(i) done

let shape_061 (a : string) (b : string) = let n = min (String.length a) (String.length b) in let rec go i = if i = n then 0 else if a.[i] <> b.[i] then i else go (i + 1) in go 0

let shape_062 (a : float array) (b : float array) = let n = Int.min (Array.length a) (Array.length b) in let s = ref 0. in for i = 0 to n - 1 do s := !s +. a.(i) *. b.(i) done; !s

let shape_063 (a : int array) k = let n = max 0 (min k (Array.length a)) in for i = 0 to n - 1 do a.(i) <- 0 done

let shape_064 (a : int array) k = let i = ref (max 0 k) in while !i < Array.length a do a.(!i) <- 0; incr i done

let shape_065 (a : int array) lo hi = for i = max lo 0 to min hi (Array.length a - 1) do a.(i) <- 0 done

let shape_066 (a : int array) (b : int array) = let i = ref 0 in while !i < Array.length a && !i < Array.length b do a.(!i) <- b.(!i); incr i done

let shape_067 (m : float array array) = let s = ref 0. in for i = 0 to Array.length m - 1 do let r = m.(i) in for j = 0 to Array.length r - 1 do s := !s +. r.(j) done done; !s

let shape_068 (m : int array array) = let s = ref 0 in for i = 0 to Array.length m - 1 do for j = 0 to Array.length m.(i) - 1 do s := !s + m.(i).(j) done done; !s

let shape_069 h w = let m = Array.make_matrix h w 0 in for i = 0 to h - 1 do for j = 0 to w - 1 do m.(i).(j) <- i + j done done; m

let shape_070 (a : int array) w h = assert (Array.length a = w * h); for y = 0 to h - 1 do for x = 0 to w - 1 do a.(y * w + x) <- 0 done done

let shape_071 w h = let a = Array.make (w * h) 0 in for y = 0 to h - 1 do for x = 0 to w - 1 do a.(y * w + x) <- x done done; a

let shape_072 w h = let a = Bytes.create (w * h) in for y = 0 to h - 1 do for x = 0 to w - 1 do Bytes.set a (y * w + x) 'x' done done; a

let shape_073 (a : int array) = assert (Array.length a = 64); for y = 0 to 7 do for x = 0 to 7 do a.(y * 8 + x) <- x done done

let shape_074 () = let a = Array.make 64 0 in for y = 0 to 7 do for x = 0 to 7 do a.((y lsl 3) + x) <- x done done; a

let shape_075 (a : int array) n = assert (Array.length a >= 16); for i = 0 to n - 1 do a.(i land 15) <- i done

let shape_076 (a : int array) n = assert (Array.length a = 10); for i = 0 to n - 1 do a.(i mod 10) <- i done

let shape_077 (a : int array) n = let l = Array.length a in if l > 0 then for i = 0 to n - 1 do a.(i mod l) <- i done

let shape_078 (t : int array) (s : string) = assert (Array.length t = 256); let h = ref 0 in for i = 0 to String.length s - 1 do h := !h lxor t.(Char.code s.[i]) done; !h

let shape_079 (t : int array) (s : string) = assert (Array.length t = 256); let c = ref 0 in for i = 0 to String.length s - 1 do c := t.((!c lxor Char.code s.[i]) land 0xff) lxor (!c lsr 8) done; !c

let shape_080 (a : int array) = for i = 0 to Array.length a - 1 do opaque a.(i) done

let shape_081 (a : int array) g = for i = 0 to Array.length a - 1 do g i; opaque a.(i) done

let shape_082 (a : int array) = let n = Array.length a in for i = 0 to n - 1 do opaque i; a.(i) <- 0 done

let shape_083 (a : int array) = let rec go i = if i < Array.length a then begin opaque a.(i); go (i + 1) end in go 0

let shape_084 (s : string) = for i = 0 to String.length s - 1 do opaque (Char.code s.[i]); opaque (Char.code (String.get s i)) done

let shape_085 (b : Buffer.t) (s : string) = for i = 0 to String.length s - 1 do Buffer.add_char b s.[i]; Buffer.add_string b "x" done

let shape_086 (a : int array) = let i = ref 0 in while !i < Array.length a do opaque !i; opaque a.(!i); incr i done

let shape_087 (a : int array) (h : (int, int) Hashtbl.t) = for i = 0 to Array.length a - 1 do Hashtbl.replace h i a.(i) done

let shape_088 (a : float array) = for i = 0 to Array.length a - 1 do a.(i) <- sin a.(i); opaque i; a.(i) <- a.(i) +. 1. done

let shape_089 n = let a = Array.make n 0 in for i = 0 to n - 1 do opaque i; a.(i) <- i done; a

let shape_090 (a : string array) = for i = 0 to Array.length a - 1 do print_string a.(i); a.(i) <- a.(i) ^ "x" done

let shape_091 (a : int array) (b : int array) = assert (Array.length a = Array.length b); for i = 0 to Array.length a - 1 do opaque a.(i); opaque b.(i) done

let shape_092 (a : int array) x = let lo = ref 0 and hi = ref (Array.length a) in while !lo < !hi do let m = (!lo + !hi) / 2 in if a.(m) < x then lo := m + 1 else hi := m done; !lo

let shape_093 (a : int array) x = let rec go lo hi = if lo >= hi then lo else let m = lo + (hi - lo) / 2 in if a.(m) < x then go (m + 1) hi else go lo m in go 0 (Array.length a)

let shape_094 (a : int array) x = let rec go lo hi = if lo > hi then -1 else let m = (lo + hi) lsr 1 in if a.(m) = x then m else if a.(m) < x then go (m + 1) hi else go lo (m - 1) in go 0 (Array.length a - 1)

let shape_095 (a : int array) = for i = 1 to Array.length a - 1 do let x = a.(i) in let j = ref (i - 1) in while !j >= 0 && a.(!j) > x do a.(!j + 1) <- a.(!j); decr j done; a.(!j + 1) <- x done

let shape_096 (a : int array) = let n = Array.length a in for i = 0 to n - 2 do let m = ref i in for j = i + 1 to n - 1 do if a.(j) < a.(!m) then m := j done; let t = a.(i) in a.(i) <- a.(!m); a.(!m) <- t done

let shape_097 (a : int array) = let n = Array.length a in for i = n - 1 downto 1 do for j = 0 to i - 1 do if a.(j) > a.(j + 1) then begin let t = a.(j) in a.(j) <- a.(j + 1); a.(j + 1) <- t end done done

let shape_098 (s : string) = let n = String.length s in let i = ref 0 in while !i < n && s.[!i] = ' ' do incr i done; let j = ref (n - 1) in while !j >= !i && s.[!j] = ' ' do decr j done; (!i, !j)

let shape_099 (s : string) (p : string) = let n = String.length s and m = String.length p in let found = ref (-1) in for i = 0 to n - m do let j = ref 0 in while !j < m && s.[i + !j] = p.[!j] do incr j done; if !j = m then found := i done; !found

let shape_100 (a : int array) (b : int array) = let n = Array.length a and m = Array.length b in let i = ref 0 and j = ref 0 in let s = ref 0 in while !i < n && !j < m do if a.(!i) < b.(!j) then (s := !s + a.(!i); incr i) else (s := !s + b.(!j); incr j) done; !s

