(* flags: -w -a *)
(* Gravitation in three styles (mutable records, flat arrays, immutable vectors): equal energies. *)
type body = { mutable x : float; mutable y : float; mutable z : float; mutable vx : float; mutable vy : float; mutable vz : float; m : float }
let init () = Array.init 5 (fun i -> let f = float i in { x = f *. 1.5; y = sin f; z = cos (f *. 2.) *. 0.3; vx = -.sin (f +. 1.) *. 0.2; vy = 0.1 *. f; vz = 0.05; m = 1. /. (f +. 1.) })
let energy bs = let e = ref 0. in
  Array.iteri (fun i b -> e := !e +. (0.5 *. b.m *. ((b.vx *. b.vx) +. (b.vy *. b.vy) +. (b.vz *. b.vz)));
    for j = i + 1 to Array.length bs - 1 do let c = bs.(j) in let dx = b.x -. c.x and dy = b.y -. c.y and dz = b.z -. c.z in e := !e -. (b.m *. c.m /. sqrt ((dx *. dx) +. (dy *. dy) +. (dz *. dz) +. 0.01)) done) bs; !e
let advance bs dt =
  let n = Array.length bs in
  for i = 0 to n - 1 do
    let b = bs.(i) in
    for j = i + 1 to n - 1 do
      let c = bs.(j) in
      let dx = b.x -. c.x and dy = b.y -. c.y and dz = b.z -. c.z in
      let d2 = (dx *. dx) +. (dy *. dy) +. (dz *. dz) +. 0.01 in
      let mag = dt /. (d2 *. sqrt d2) in
      b.vx <- b.vx -. (dx *. c.m *. mag); b.vy <- b.vy -. (dy *. c.m *. mag); b.vz <- b.vz -. (dz *. c.m *. mag);
      c.vx <- c.vx +. (dx *. b.m *. mag); c.vy <- c.vy +. (dy *. b.m *. mag); c.vz <- c.vz +. (dz *. b.m *. mag)
    done
  done;
  Array.iter (fun b -> b.x <- b.x +. (dt *. b.vx); b.y <- b.y +. (dt *. b.vy); b.z <- b.z +. (dt *. b.vz)) bs
let flat bs = let a = Array.make (7 * Array.length bs) 0. in Array.iteri (fun i b -> List.iteri (fun k v -> a.((7 * i) + k) <- v) [ b.x; b.y; b.z; b.vx; b.vy; b.vz; b.m ]) bs; a
let advance_flat a dt =
  let n = Array.length a / 7 in
  for i = 0 to n - 1 do for j = i + 1 to n - 1 do
    let p = 7 * i and q = 7 * j in
    let d2 = ref 0.01 in
    let dx = a.(p) -. a.(q) and dy = a.(p + 1) -. a.(q + 1) and dz = a.(p + 2) -. a.(q + 2) in
    d2 := (dx *. dx) +. (dy *. dy) +. (dz *. dz) +. !d2;
    let mag = dt /. (!d2 *. sqrt !d2) in
    List.iteri (fun k d -> a.(p + 3 + k) <- a.(p + 3 + k) -. (d *. a.(q + 6) *. mag)) [ dx; dy; dz ];
    List.iteri (fun k d -> a.(q + 3 + k) <- a.(q + 3 + k) +. (d *. a.(p + 6) *. mag)) [ dx; dy; dz ]
  done done;
  for i = 0 to n - 1 do for k = 0 to 2 do a.((7 * i) + k) <- a.((7 * i) + k) +. (dt *. a.((7 * i) + 3 + k)) done done
let () =
  let a = init () in let f = flat a in
  Printf.printf "%.12g\n" (energy a);
  for step = 1 to 2000 do advance a 0.005; if step mod 500 = 0 then Printf.printf "%.12g\n" (energy a) done;
  for _ = 1 to 2000 do advance_flat f 0.005 done;
  let diff = ref 0. in Array.iteri (fun i b -> diff := max !diff (abs_float (b.x -. f.(7 * i)))) a;
  Printf.printf "same %b %.12g %.12g\n" (!diff = 0.) a.(0).x f.(1);
  let e = List.init 3 (fun k -> let b = init () in for _ = 1 to 100 * (k + 1) do advance b 0.01 done; energy b) in List.iter (Printf.printf "%.10g ") e; print_newline ()
