(* flags: -w -a *)
(* soundness 9: the last operand of && and ||, and of if/match/let/sequence, is a tail position. *)
let n = 1_000_000
let rec all p i = i = 0 || (p i && all p (i - 1))
let rec any p i = i > 0 && (p i || any p (i - 1))
let rec even i = i = 0 || odd (i - 1)
and odd i = i <> 0 && even (i - 1)
let rec mix i acc = if i = 0 then acc else match i land 3 with
  | 0 -> let k = acc + 1 in mix (i - 1) k
  | 1 -> ignore acc; mix (i - 1) acc
  | 2 -> (mix [@tailcall]) (i - 1) (acc + 2)
  | _ -> begin let j = i - 1 in let k = acc in mix j k end
let rec nested i = (i <= 0 || (i > 0 && (i <> -1 && (i = -1 || nested (i - 1)))))
let rec aft_try i acc = let v = try if i land 1 = 0 then raise Exit else 1 with Exit -> 2 in
  if i = 0 then acc else aft_try (i - 1) (acc + v)
let rec handler i = try if i = 0 then i else raise Exit with Exit -> handler (i - 1)
let rec exc_case i acc = match (if i mod 3 = 0 then raise Not_found else i) with
  | exception Not_found -> if i = 0 then acc else exc_case (i - 1) (acc + 3)
  | j -> exc_case (j - 1) (acc + 1)
let () =
  let[@local] rec loop i = i = 0 || (i > 0 && loop (i - 1)) in
  Printf.printf "%b\n" (loop n);
  Printf.printf "%b %b\n" (all (fun i -> i > 0) n) (any (fun i -> i < 0) n);
  Printf.printf "%b %b\n" (even n) (odd n);
  Printf.printf "%d\n" (mix n 0);
  Printf.printf "%b\n" (nested n);
  Printf.printf "%d\n" (aft_try n 0);
  Printf.printf "%d\n" (handler n);
  Printf.printf "%d\n" (exc_case n 0)
