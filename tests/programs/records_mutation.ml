(* flags: -w -a *)
(* Records: mutation, with, nested updates, polymorphic and inline records, mutable fields read around stores, field of every kind. *)
type inner = { mutable v : int; tag : string }
type outer = { a : int; mutable b : float; inner : inner; mutable l : int list; f : int -> int; mutable o : outer option }
type 'a cell = { mutable hd : 'a; mutable tl : 'a cell option }
type poly = { id : 'a. 'a -> 'a; n : int }
type node = { key : int; mutable left : node option; mutable right : node option; mutable h : int }
type wide = { f1 : int; f2 : float; f3 : string; f4 : char; f5 : bool; f6 : unit; f7 : int64; f8 : int array; mutable f9 : int; f10 : float }
let mk n = { a = n; b = float n; inner = { v = n; tag = string_of_int n }; l = [ n ]; f = (fun x -> x + n); o = None }
let h = function None -> 0 | Some n -> n.h
let fix n = n.h <- 1 + max (h n.left) (h n.right); n
let rotr n = match n.left with Some l -> n.left <- l.right; l.right <- Some (fix n); fix l | None -> n
let rotl n = match n.right with Some r -> n.right <- r.left; r.left <- Some (fix n); fix r | None -> n
let rebal n = let b = h n.left - h n.right in if b > 1 then ((match n.left with Some l when h l.left < h l.right -> n.left <- Some (rotl l) | _ -> ()); rotr n) else if b < -1 then ((match n.right with Some r when h r.right < h r.left -> n.right <- Some (rotr r) | _ -> ()); rotl n) else fix n
let rec ins k = function None -> { key = k; left = None; right = None; h = 1 } | Some n -> if k < n.key then n.left <- Some (ins k n.left) else if k > n.key then n.right <- Some (ins k n.right); rebal n
let rec walk = function None -> [] | Some n -> walk n.left @ (n.key :: walk n.right)
let of_list l = List.fold_right (fun x t -> Some { hd = x; tl = t }) l None
let rec rev_in_place prev = function None -> prev | Some c -> let next = c.tl in c.tl <- prev; rev_in_place (Some c) next
let rec to_list = function None -> [] | Some c -> c.hd :: to_list c.tl
let () =
  let x = mk 1 in let y = { x with a = 2; b = 9.5 } in x.inner.v <- 100; x.b <- x.b +. y.b; y.l <- 7 :: x.l; Printf.printf "%d %g %g %d %d %d\n" y.a x.b y.b y.inner.v (List.length y.l) (List.length x.l); x.o <- Some y; y.o <- Some x; (match x.o with Some { o = Some { o = Some z; _ }; _ } -> Printf.printf "%b %d\n" (z == y) (z.f 10) | _ -> print_endline "?"); let w = { x with inner = { x.inner with v = 5 }; o = None } in w.inner.v <- w.inner.v + 1; Printf.printf "%d %d %s\n" w.inner.v x.inner.v w.inner.tag;
  let p = { id = (fun x -> x); n = 3 } in let q = { p with n = 4 } in Printf.printf "%d %s %d\n" (q.id q.n) (q.id "s") p.n; let t = List.fold_left (fun t k -> Some (ins k t)) None (List.init 100 Fun.id) in Printf.printf "%d %b\n" (h t) (walk t = List.init 100 Fun.id); let l = of_list [ 1; 2; 3 ] in let r = rev_in_place None l in List.iter (Printf.printf "%d ") (to_list r @ to_list l); List.iter print_string (to_list (rev_in_place None (of_list [ "a"; "b" ]))); List.iter (Printf.printf " %g") (to_list (rev_in_place None (of_list [ 1.5; 2.5 ]))); print_newline ();
  let wd = { f1 = 1; f2 = 2.; f3 = "3"; f4 = '4'; f5 = true; f6 = (); f7 = 7L; f8 = [| 8 |]; f9 = 9; f10 = 10. } in let { f1; f3 = s; f7; f10; _ } = wd in wd.f8.(0) <- f1; wd.f9 <- wd.f9 + wd.f8.(0); let wd2 = { wd with f5 = false; f2 = wd.f2 +. f10 } in wd2.f9 <- 0; Printf.printf "%d %s %Ld %g %d %d %b %c\n" f1 s f7 wd2.f2 wd.f9 wd2.f9 (wd = { wd2 with f5 = true; f2 = 2.; f9 = 10 }) wd2.f4; let arr = Array.init 3 (fun i -> { v = i; tag = "" }) in Array.iter (fun r -> r.v <- r.v * 10) arr; let k = arr.(1) in arr.(1) <- { k with tag = "new" }; k.v <- -1; Printf.printf "%d %d %s\n" arr.(1).v arr.(2).v arr.(1).tag
