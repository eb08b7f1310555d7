(* flags: -w -a *)
(* Classes and functions that call their methods in another unit, which inherits from them and calls them, too. *)
class sub = object inherit Lib.counter as super method! get = super#get * 2 method! reset = super#reset; print_string "r" end
module A = Lib.F (struct let k = 3 end)
module B = Lib.F (struct let k = 4 end)
let () =
  let c = Lib.fresh () and s = new sub in
  for i = 1 to 100 do ignore (Lib.bump c i); ignore (Lib.bump (s :> Lib.counter) i) done;
  Printf.printf "%d %d\n" c#get s#get;
  let p = Lib.point 3 in
  Printf.printf "%d %d\n" (Lib.twice p) (Lib.twice (object method set (_ : int) = () method v = 7 end));
  let a = new A.c and b = new B.c in
  Printf.printf "%d %d %d %d\n" (A.call a 1) (B.call b 1) (a#m 1) (b#m 1);
  Printf.printf "%d\n" (A.call (object method m y = y * 100 end) 5)
