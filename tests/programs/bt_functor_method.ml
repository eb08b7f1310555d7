(* flags: -w -a *)
(* bytecode: no, backtraces differ *)
(* backtrace: yes *)
(* backtraces in functor bodies, methods, initialisers, first-class modules and objects *)
module type S = sig val f : int -> int end
module F (X : S) = struct
  let twice n = X.f (X.f n) + 1
  let g n = if n > 10 then raise Not_found else twice n
end
module A = F (struct let f n = if n = 3 then failwith "three" else n + 1 end)
class base k = object (self)
  method m x = if x = k then invalid_arg "m" else x
  method n x = self#m x + 1
  initializer if k < 0 then failwith "init"
end
class derived = object inherit base 5 as super method! m x = super#m (x + 1) * 2 end
let fcm (module M : S) n = M.f n + 1
let run name f = match f () with
  | v -> Printf.printf "%s: %d\n" name v
  | exception e -> let s = Printexc.get_backtrace () in Printf.printf "%s: %s\n%s" name (Printexc.to_string e) s
let () =
  run "functor" (fun () -> 1 + A.g 2); run "functor2" (fun () -> 1 + A.g 11);
  run "method" (fun () -> 1 + (new base 3)#n 3); run "super" (fun () -> 1 + (new derived)#n 4); run "init" (fun () -> (new base (-1))#m 1);
  run "fcm" (fun () -> 1 + fcm (module struct let f n = if n = 0 then raise Exit else n end) 0);
  run "local functor" (fun () -> let module M = F (struct let f n = 10 / n end) in 1 + M.twice 0);
  run "immediate" (fun () -> let ob = object method z = raise End_of_file end in 1 + ob#z)
