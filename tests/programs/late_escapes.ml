(* Records and references that are filled while nobody else sees them, and passed on afterwards: returned, stored,
   captured, raised, on some paths only, before a handler, and seen by a handler. *)

type stats = { mutable count : int; mutable mean : float; mutable m2 : float; name : string }
type point = { mutable x : float; mutable y : float }
type words = { mutable a : int64; mutable b : int32; mutable l : int list }

exception Found of stats

let fresh name = { count = 0; mean = 0.; m2 = 0.; name }

let add s x =
  s.count <- s.count + 1;
  let d = x -. s.mean in
  s.mean <- s.mean +. (d /. float s.count);
  s.m2 <- s.m2 +. (d *. (x -. s.mean))

let show s = Printf.sprintf "%s %d %.4f %.4f" s.name s.count s.mean s.m2
let[@inline never] touch s = s.count <- s.count + 1000
let[@inline never] opaque x = x

let returned n =
  let s = fresh "returned" in
  for i = 1 to n do add s (float (i * i mod 17)) done;
  s

(* It goes on being changed, here and there, after it has escaped. *)
let touched n =
  let s = fresh "touched" in
  for i = 1 to n do add s (float i) done;
  touch s;
  add s 3.;
  let t = s in
  touch t;
  s.count <- s.count + 1;
  (show s, s == t)

let sometimes n =
  let s = fresh "sometimes" in
  for i = 1 to n do add s (float (i land 3)) done;
  if s.count > 5 then touch s;
  add s 1.;
  show s

let in_a_loop n =
  let s = fresh "loop" in
  for i = 1 to n do
    add s (float i);
    if i = 4 then touch s
  done;
  show s

let each n =
  let l = ref [] in
  for i = 1 to n do
    let p = { x = 0.; y = 1. } in
    for j = 1 to i do p.x <- p.x +. float j; p.y <- p.y *. 1.5 done;
    l := p :: !l
  done;
  List.iter (fun p -> p.x <- p.x +. 1.) !l;
  String.concat " " (List.map (fun p -> Printf.sprintf "%g,%g" p.x p.y) !l)

let captured n =
  let r = ref 0 and w = { a = 1L; b = 2l; l = [] } in
  for i = 1 to n do
    r := !r + i;
    w.a <- Int64.mul w.a 3L;
    w.b <- Int32.add w.b 7l;
    w.l <- i :: w.l
  done;
  let next () = incr r; w.a <- Int64.succ w.a; w.l <- List.tl w.l; !r in
  let before = next () in
  (before, next (), !r, w.a, w.b, List.length w.l)

(* The handler has what the record was when it was left. *)
let handled n limit =
  let s = fresh "handled" in
  (try
     for i = 1 to n do
       add s (float i);
       if i = limit then raise Exit
     done;
     s.mean <- -1.
   with Exit -> s.m2 <- s.m2 +. 0.5);
  opaque s

let found n =
  let s = fresh "found" in
  for i = 1 to n do add s (float (i mod 5)) done;
  match if n > 3 then raise (Found s) else s with s -> show s | exception Found t -> "raised " ^ show t

let handler_after n =
  let s = fresh "after" in
  for i = 1 to n do add s (float i) done;
  let r = try touch s; if s.count land 1 = 0 then failwith "even"; s.count with Failure _ -> s.count + 7 in
  (r, show s)

let nested n =
  let outer = ref [] and s = fresh "nested" in
  let inner = ref s.name in
  for i = 1 to n do
    add s (float i);
    inner := !inner ^ "!";
    outer := !inner :: !outer
  done;
  let pair = opaque (outer, inner) in
  fst pair := "x" :: !outer;
  (List.length !outer, String.length !(snd pair), show s)

let swapped n =
  let p = { x = 1.; y = 2. } in
  for _ = 1 to n do let t = p.x in p.x <- p.y; p.y <- t +. 0.25 done;
  let q = opaque { p with x = p.x } in
  q.x <- 9.;
  (opaque p, q)

let unreached n =
  let s = fresh "unreached" in
  for i = 1 to n do add s (float i) done;
  if n < 0 then touch s;
  s.count

let () =
  for n = 0 to 9 do
    print_endline (show (returned n));
    let t, same = touched n in
    Printf.printf "%s %b\n%s\n%s\n%s\n" t same (sometimes n) (in_a_loop n) (each n);
    if n > 1 then begin
      let a, b, c, d, e, f = captured n in
      Printf.printf "%d %d %d %Ld %ld %d\n" a b c d e f
    end;
    print_endline (show (handled n 3));
    print_endline (found n);
    let r, s = handler_after n in
    Printf.printf "%d %s\n" r s;
    let a, b, c = nested n in
    Printf.printf "%d %d %s\n" a b c;
    let p, q = swapped n in
    Printf.printf "%g %g %g %g %d\n" p.x p.y q.x q.y (unreached n)
  done
