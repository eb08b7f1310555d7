(* Uses each function of Small_functions, and prints the backtraces of those that raise. *)
open Small_functions

let run n =
  let t = make ~a:n () and t2 = make ~b:1.5 ~c:"z" () in
  seta t (geta t + 1);
  let r = ref 0 in
  for i = 0 to n do
    r := !r + f6 i + f6 ~p0:i i + f6 ~p1:i ~p2:(i+1) i + geta t;
    r := (!r + next ()) land 0xffffff;
    r := !r + tag (C i) + tag (D "abc") + tag B + tag (E2 { x = i; y = 2.0 }) + String.length (small A) + sum3 i i i;
    r := !r + (match Some i >>= fun x -> if x land 1 = 0 then Some (x * 2) else None with Some x -> x | None -> 1);
    r := !r + get_default ~default:i None + get_default ~default:0 (Some i) + Sub.twice i + snd (Sub.pair i) + tup (i, 1);
  done;
  r := !r + loop 10 + name "yy" + name "q" + safe (fun x -> if x > 2 then raise Not_found else x) n + apply (fun x -> x * 2) 5 + lz (lazy 4);
  r := !r + count 0 [ n; n ] + if even n then 1 else 0;
  each (fun x -> r := !r + x) [ 1; n ];
  r := !r + (wide n 3 land 1023);
  r := !r + bs (Bytes.of_string "abc") 1 + arr [|1;2;3|] 2 + obj (object method go x = x + 1 end) + Int64.to_int (i64 3L 4L);
  (try ex 5 with My n -> r := !r + n);
  (try ignore (fail true) with Invalid_argument s -> print_endline s);
  (try ignore (arr [|1;2;3|] 5) with Invalid_argument s -> print_endline s);
  (try ignore (bs (Bytes.of_string "abc") 7) with Invalid_argument s -> print_endline s);
  Printf.printf "%d %f %f %f\n" !r (getb t) (scale t2 3.0) (scale t 2.)

let () = run 1000
let[@inline never] f b = Small_functions.fail b + 1
let[@inline never] g () = Small_functions.sum3 (Small_functions.arr [| 1 |] 3) 1 2
let traced f = try ignore (f ()) with _ -> Printexc.print_backtrace stdout
let () =
  Printexc.record_backtrace true;
  traced (fun () -> f true);
  traced g;
  traced (fun () -> Small_functions.ex 3)
