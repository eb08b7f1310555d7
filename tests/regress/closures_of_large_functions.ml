(* The closure, or the record of closures, that a function makes and returns was called through `caml_applyN` where that
   function was too large to be inlined (issue 20: 2 unknown calls an iteration, the stock compiler 0). *)

type counter = { next : int -> int -> int; total : unit -> int }

let[@inline never] dice seed =
  let table = Array.make 16 seed in
  for i = 1 to 15 do
    table.(i) <- ((table.(i - 1) * 1103515245) + 12345) land 0xFFFFFF
  done;
  let position = ref 0 in
  fun low high ->
    position := (!position + 1) land 15;
    let value = table.(!position) in
    table.(!position) <- ((value * 69069) + 1) land 0xFFFFFF;
    low + ((value lsr 5) mod (high - low + 1))

let[@inline never] counter start =
  let sum = ref start in
  { next = (fun a b -> sum := !sum + (a * b); !sum); total = (fun () -> !sum) }

(* Two places return: nothing is known. *)
let[@inline never] either flag = if flag then fun a b -> a - b else fun a b -> b - a

let first = dice 3
let second = dice 17
let one = counter 1

let[@inline never] roll () = first 1 6 + second 1 20

let () =
  let sum = ref 0 in
  for i = 1 to 100 do
    sum := !sum + roll () + one.next i 2
  done;
  Printf.printf "%d %d\n" !sum (one.total ());
  (* Each call makes another one. *)
  let local n =
    let a = counter n and b = counter (n + 1) in
    ignore (a.next 2 3);
    ignore (b.next 4 5);
    a.total () + (100 * b.total ())
  in
  Printf.printf "%d %d\n" (local 1) (local 2);
  Printf.printf "%d %d\n" ((either true) 5 3) ((either false) 5 3);
  let partial = first 1 in
  Printf.printf "%d\n" (partial 6 + partial 6)
