(* flags: -w -a *)
(* bytecode: no, backtraces differ *)
(* backtrace: yes *)
(* Printexc.get_callstack at several places *)
let show n = print_string (Printexc.raw_backtrace_to_string (Printexc.get_callstack n)); print_endline "--"
let[@inline never] leaf () = show 10; 1
let middle x = let r = leaf () + x in r + 1
let rec recur n = if n = 0 then (show 6; 0) else 1 + recur (n - 1)
let tail n = leaf ()
class c = object method m = middle 3 + 1 end
module F (X : sig val v : int end) = struct let r = middle X.v + 1 end
let () =
  ignore (1 + middle 2);
  ignore (recur 3);
  ignore (1 + tail 1);
  ignore ((new c)#m + 1);
  let module M = F (struct let v = 4 end) in
  ignore (List.map (fun x -> middle x + 1) [ 1 ]);
  show 2
