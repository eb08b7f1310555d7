(* flags: -w -a *)
(* pitfall 14: call sites reached by objects of many classes. *)
class a = object method m = 1 method n x = x + 1 end
class b = object method z = 0 method n x = x * 2 method m = 2 method q = 9 end
class c = object (s) inherit a as super method m = 10 + super#m method k = s#m + s#n 3 end
class virtual d = object (self) method virtual m : int method twice = self#m * 2 end
class e k = object inherit d method m = k end
let call o = o#m
let call2 o x = (o#n x, o#m)
let imm k = object method m = k method n x = x - k method p = 1 end
let () =
  let objs = [ (new a :> < m : int >); (new b :> < m : int >); (new c :> < m : int >); (new e 7 :> < m : int >); (imm 5 :> < m : int >); object method m = 99 end ] in
  for i = 1 to 3 do List.iter (fun o -> Printf.printf "%d " (call o)) objs done; print_newline ();
  Array.iter (fun o -> let n, m = call2 o 10 in Printf.printf "%d,%d " n m) [| (new a :> < m : int; n : int -> int >); (new b :> < m : int; n : int -> int >); (new c :> < m : int; n : int -> int >); (imm 3 :> < m : int; n : int -> int >) |];
  print_newline ();
  Printf.printf "%d %d\n" (new c)#k (new e 21)#twice;
  let sum = ref 0 in
  for i = 1 to 100 do let o = if i mod 3 = 0 then (new a :> < m : int >) else if i mod 3 = 1 then (new b :> < m : int >) else imm (i) |> fun x -> (x :> < m : int >) in sum := !sum + o#m done;
  Printf.printf "%d\n" !sum
