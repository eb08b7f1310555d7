(* flags: -w -a *)
(* Text wrapping: greedy, optimal by dynamic programming, justification, tables, word statistics; Format boxes for comparison. *)
let text = "It is a truth commonly repeated among compiler writers that every optimisation, however small, will sooner or later meet the program it breaks. The cautious ones therefore keep a drawer of strange little programs, and run them all, every night, before going home."
let words s = List.filter (( <> ) "") (String.split_on_char ' ' s)
let greedy w ws =
  let rec go line len acc = function
    | [] -> List.rev (if line = [] then acc else List.rev line :: acc)
    | x :: r -> let l = String.length x in
      if line <> [] && len + 1 + l > w then go [ x ] l (List.rev line :: acc) r else go (x :: line) (if line = [] then l else len + 1 + l) acc r in
  go [] 0 [] ws
let optimal w ws =
  let a = Array.of_list ws in
  let n = Array.length a in
  let best = Array.make (n + 1) infinity and next = Array.make (n + 1) n in
  best.(n) <- 0.;
  for i = n - 1 downto 0 do
    let len = ref (-1) and j = ref i in
    (try while !j < n do
      len := !len + 1 + String.length a.(!j);
      if !len > w && !j > i then raise_notrace Exit;
      incr j;
      let slack = if !j = n then 0. else float (max 0 (w - !len)) ** 3. in
      if best.(!j) +. slack < best.(i) then (best.(i) <- best.(!j) +. slack; next.(i) <- !j)
    done with Exit -> ())
  done;
  let rec build i = if i >= n then [] else Array.to_list (Array.sub a i (next.(i) - i)) :: build next.(i) in
  (best.(0), build 0)
let justify w last line = match line with
  | [] -> "" | [ x ] -> x
  | _ when last -> String.concat " " line
  | _ -> let chars = List.fold_left (fun a s -> a + String.length s) 0 line in
    let gaps = List.length line - 1 in
    let sp = w - chars in
    let b = Buffer.create w in
    List.iteri (fun i x -> if i > 0 then Buffer.add_string b (String.make ((sp / gaps) + if i <= sp mod gaps then 1 else 0) ' '); Buffer.add_string b x) line; Buffer.contents b
let center w s = let p = (w - String.length s) / 2 in String.make (max 0 p) ' ' ^ s
let cost w lines = let n = List.length lines in List.fold_left (fun (i, c) l -> let len = List.fold_left (fun a s -> a + 1 + String.length s) (-1) l in (i + 1, if i = n - 1 then c else c +. (float (w - len) ** 3.))) (0, 0.) lines |> snd
let show w lines = let n = List.length lines in List.iteri (fun i l -> Printf.printf "|%-*s|\n" w (justify w (i = n - 1) l)) lines
let table rows = let cols = List.fold_left (fun m r -> max m (List.length r)) 0 rows in let width k = List.fold_left (fun m r -> match List.nth_opt r k with Some s -> max m (String.length s) | None -> m) 0 rows in let ws = List.init cols width in List.iter (fun r -> List.iteri (fun k w -> let s = Option.value (List.nth_opt r k) ~default:"" in match float_of_string_opt s with Some _ -> Printf.printf "%*s | " w s | None -> Printf.printf "%-*s | " w s) ws; print_newline ()) rows
let stats ws = let t = Hashtbl.create 50 in List.iter (fun w -> let k = String.length w in Hashtbl.replace t k (1 + Option.value (Hashtbl.find_opt t k) ~default:0)) ws; Hashtbl.fold (fun k n l -> (k, n) :: l) t [] |> List.sort (fun (a, b) (c, d) -> match compare d b with 0 -> compare a c | n -> n)
let () =
  let ws = words text in
  List.iter (fun w -> let g = greedy w ws in let c, o = optimal w ws in show w g; show w o; Printf.printf "greedy %g optimal %g %b\n" (cost w g) c (cost w o = c && c <= cost w g && List.concat g = ws && List.concat o = ws)) [ 20; 34; 60 ];
  List.iter (fun (k, n) -> Printf.printf "%d:%d " k n) (stats ws); print_newline ();
  table [ [ "name"; "value"; "note" ]; [ "alpha"; "1.5" ]; [ "b"; "1234"; "long note" ]; [ "x"; "-7"; "" ] ]; print_endline (center 40 "centered");
  Format.set_margin 40; Format.printf "@[<hov 2>%a@]@." (Format.pp_print_list ~pp_sep:Format.pp_print_space Format.pp_print_string) ws; Format.printf "@[<v 2>v:@,%a@]@.@[<h>%s@ %d@]@." (Format.pp_print_list ~pp_sep:Format.pp_print_cut Format.pp_print_int) [ 1; 2; 3 ] "h" 4
