(* Text reports through Printf, tables, %a printers and ksprintf continuations, ending in a digest. *)

type employee = { id : int; name : string; salary : float; start : int; remote : bool }

let names = [| "Ada"; "Blaise"; "Carl"; "Dorothy"; "Emmy"; "Fibonacci"; "Grace"; "Hypatia" |]

let employee i =
  let r = ((i * 1103515245) + 12345) lsr 5 land 0xffff in
  { id = i;
    name = names.(r land 7);
    salary = 1000. +. (float_of_int (r mod 90_000) /. 7.);
    start = 1990 + (r mod 33);
    remote = r land 64 = 0 }

(* All output ends here: a small rolling digest and counters. *)
module Sink = struct
  type t = { mutable digest : int; mutable bytes : int; mutable lines : int }

  let create () = { digest = 17; bytes = 0; lines = 0 }

  let write t s =
    t.bytes <- t.bytes + String.length s;
    String.iter
      (fun c ->
        t.digest <- ((t.digest * 33) lxor Char.code c) land 0xffffffff;
        if c = '\n' then t.lines <- t.lines + 1)
      s

  let printf t format = Printf.ksprintf (write t) format
end

let rec pp_list pp () = function
  | [] -> ""
  | [ x ] -> pp () x
  | x :: rest -> Printf.sprintf "%a, %a" pp x (pp_list pp) rest

let pp_range () (a, b) = if a = b then string_of_int a else Printf.sprintf "%d-%d" a b

(* Groups ascending numbers into ranges. *)
let ranges = function
  | [] -> []
  | first :: rest ->
    let closed, last =
      List.fold_left
        (fun (acc, (a, b)) x -> if x = b + 1 then (acc, (a, x)) else ((a, b) :: acc, (x, x)))
        ([], (first, first)) rest
    in
    List.rev (last :: closed)

let row sink e =
  Sink.printf sink "| %05d | %-10s | %10.2f | %4d | %c |\n" e.id e.name e.salary e.start
    (if e.remote then 'y' else 'n')

let csv sink e = Sink.printf sink "%d,%S,%g,%x,%B\n" e.id e.name e.salary e.start e.remote

let money x =
  let cents = int_of_float (Float.round (x *. 100.)) in
  let rec groups n = if n < 1000 then string_of_int n else Printf.sprintf "%s,%03d" (groups (n / 1000)) (n mod 1000) in
  Printf.sprintf "$%s.%02d" (groups (cents / 100)) (cents mod 100)

let bar width share = String.init width (fun i -> if float_of_int i < share *. float_of_int width then '#' else '.')

let chart sink employees =
  let total = List.fold_left (fun sum e -> sum +. e.salary) 0. employees in
  Array.iter
    (fun name ->
      let group = List.filter (fun e -> String.equal e.name name) employees in
      let sum = List.fold_left (fun sum e -> sum +. e.salary) 0. group in
      let years = List.sort_uniq Int.compare (List.map (fun e -> e.start) group) in
      Sink.printf sink "%*s %s %5.1f%% %s [%a]\n" 12 name (money sum) (100. *. sum /. total)
        (bar 30 (sum /. total))
        (fun () r -> pp_list pp_range () r)
        (ranges years))
    names

let () =
  let sink = Sink.create () in
  for round = 1 to 64 do
    let employees = List.init 5_000 (fun i -> employee (i + (round * 5_000))) in
    Sink.printf sink "== Report %d of %+d ==\n" round (List.length employees);
    List.iter (row sink) employees;
    List.iter (csv sink) employees;
    chart sink employees
  done;
  Printf.printf "lines %d, bytes %d, digest %08x\n" sink.Sink.lines sink.Sink.bytes sink.Sink.digest
