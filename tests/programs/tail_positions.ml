(* flags: -w -a *)
(* Very many iterations through every tail position, known and unknown callees. *)
let n = 600_000
let o = Sys.opaque_identity
let rec m1 f i = match i with 0 -> 0 | _ when i land 1 = 0 -> m1 f (i - 1) | _ -> (o m1) f (i - 1)
let rec seq i = ignore i; (); if i = 0 then "seq" else (let j = i - 1 in let k = j in seq k)
let rec opt = function None -> "opt" | Some 0 -> opt None | Some i -> opt (Some (i - 1))
let rec cont i k = if i = 0 then k 0 else cont (i - 1) (fun x -> k x)
let rec loopfn i = let rec inner j = if j = 0 then loopfn (i - 1) else inner (j - 1) in if i = 0 then "fn" else inner 2
let rec lzy i = if i = 0 then "lazy" else match lazy (i - 1) with lazy j -> lzy j
let rec obj i = object method m k = if k = 0 then "obj" else (obj i)#m (k - 1) end
let rec arr a i = if a.(0) = 0 then "arr" else (a.(0) <- a.(0) - 1; arr a i)
let rec fl x i = if i = 0 then x else if x > 100. then fl (x -. 100.) (i - 1) else fl (x +. 1.) (i - 1)
let rec i64 x i = if i = 0 then x else i64 (Int64.add x 3L) (i - 1)
let rec str s i = match s with "a" -> str "b" i | "b" -> if i = 0 then "str" else str "a" (i - 1) | _ -> assert false
let rec lab ~i ?(d = 1) () = if i <= 0 then "lab" else lab ~i:(i - d) ()
let rec open_ i = let open List in let module M = struct let k = 1 end in if i = 0 then "open" else open_ (i - M.k)
let rec three a b c i = if i = 0 then a else if i land 3 = 0 then three b c a (i - 1) else three a c b (i - 1)
let rec s0 i = if i = 0 then "state" else (match i mod 3 with 0 -> s1 (i - 1) | 1 -> s2 (i - 1) | _ -> (o s1) (i - 1)) and s1 i = if i = 0 then "state1" else if i mod 5 = 0 then s0 (i - 1) else s2 (i - 1) and s2 i = if i = 0 then "state2" else s0 (i - 1)
let rec while_ i = let r = ref 0 in while !r < 2 do incr r done; if i = 0 then "while" else while_ (i - 1)
let rec after_try i = (try if i < 0 then raise Exit with Exit -> ()); if i = 0 then "try" else after_try (i - 1)
let rec in_handler i = match if i land 1 = 0 then raise Not_found else i with exception Not_found -> if i = 0 then "handler" else in_handler (i - 1) | j -> in_handler (j - 1)
let rec apply f x = f x
let rec via i = if i = 0 then "via" else apply via (i - 1)
let rec pipe i = if i = 0 then "pipe" else i - 1 |> pipe
let rec at i = if i = 0 then "at" else pipe2 @@ i - 1 and pipe2 i = at i
let () =
  Printf.printf "%d %s %s\n" (m1 () n) (seq n) (opt (Some n));
  Printf.printf "%s %s %s %s\n" (loopfn (n / 3)) (lzy n) ((obj 0)#m n) (arr [| n |] 0);
  Printf.printf "%g %Ld %s %s %s %d\n" (fl 0. n) (i64 0L n) (str "a" n) (lab ~i:n ()) (open_ n) (three 1 2 3 n);
  Printf.printf "%s %s %s %s %s %s %s\n" (s0 n) (while_ (n / 4)) (after_try n) (in_handler n) (via n) (pipe n) (at n);
  Printf.printf "%d\n" (cont n Fun.id)
