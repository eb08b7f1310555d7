(* flags: -w -a *)
(* pitfalls 68 and 69: [@@noalloc] stubs may read and write anything; others may raise and call back. *)
external next : unit -> (int[@untagged]) = "p68_next_byte" "p68_next" [@@noalloc]
external acc : (float[@unboxed]) -> (float[@unboxed]) = "p68_acc_byte" "p68_acc" [@@noalloc]
external poke : 'a ref -> 'a -> unit = "p68_poke"
external peek : 'a ref -> 'a = "p68_peek" [@@noalloc]
external bump : int array -> unit = "p68_bump" [@@noalloc]
external fail : int -> int = "p68_fail"
external call : ('a -> 'a -> 'a) -> 'a -> 'a = "p68_call"
let () =
  let a = next () in let b = next () in let _ = next () in ignore (next ());
  Printf.printf "%d %d %d\n" a b (next ());
  let x = acc 1.5 in let y = acc 1.5 in ignore (acc 10.); Printf.printf "%g %g %g\n" x y (acc 0.);
  let r = ref 1 in let u = !r in poke r 5; let v = !r in Printf.printf "%d %d %d\n" u v (peek r);
  r := 6; Printf.printf "%d\n" (peek r);
  let s = ref "a" in poke s "b"; let p = peek s in s := "c"; Printf.printf "%s %s\n" p (peek s);
  let arr = [| 1; 2 |] in let e = arr.(1) in bump arr; bump arr; Printf.printf "%d %d\n" e arr.(1);
  let st = ref 0 in (try st := fail 4; st := !st + fail 1; st := fail (-1) with Failure m -> Printf.printf "%s %d\n" m !st);
  for i = 1 to 3 do ignore (next ()) done; Printf.printf "%d\n" (next ());
  let seen = ref [] in
  let n = call (fun a -> seen := a :: !seen; fun b -> seen := (b + 1) :: !seen; a + b) 4 in
  Printf.printf "%d %d\n" n (List.length !seen);
  (match call (fun _ _ -> raise Exit) 1 with _ -> () | exception Exit -> print_endline "through C");
  let tot = ref 0. in for i = 1 to 3 do tot := !tot +. acc (float i) done; Printf.printf "%g\n" !tot
