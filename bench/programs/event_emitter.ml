(* Event emitters and reactive cells: listeners kept as closures, derived and filtered streams. *)

module Emitter = struct
  type 'a listener = { id : int; notify : 'a -> unit }
  type 'a t = { mutable listeners : 'a listener list; mutable next_id : int }

  let create () = { listeners = []; next_id = 0 }
  let emit t x = List.iter (fun l -> l.notify x) t.listeners

  (* Gives the function that cancels the subscription. *)
  let subscribe t notify =
    let id = t.next_id in
    t.next_id <- id + 1;
    t.listeners <- { id; notify } :: t.listeners;
    fun () -> t.listeners <- List.filter (fun l -> l.id <> id) t.listeners

  let on t notify =
    let _cancel : unit -> unit = subscribe t notify in
    ()

  let derive t attach =
    let out = create () in
    on t (attach (emit out));
    out

  let map f t = derive t (fun push x -> push (f x))
  let filter test t = derive t (fun push x -> if test x then push x)
  let filter_map f t = derive t (fun push x -> Option.iter push (f x))

  let scan f init t =
    let state = ref init in
    derive t (fun push x ->
        state := f !state x;
        push !state)

  let merge a b =
    let out = create () in
    on a (emit out);
    on b (emit out);
    out

  let once t notify =
    let cancel = ref ignore in
    cancel :=
      subscribe t (fun x ->
          !cancel ();
          notify x)
end

(* Cells that hold a value and announce its changes. *)
module Cell = struct
  type 'a t = { mutable value : 'a; changes : 'a Emitter.t; equal : 'a -> 'a -> bool }

  let make ~equal value = { value; changes = Emitter.create (); equal }
  let get t = t.value

  let set t value =
    if not (t.equal t.value value) then begin
      t.value <- value;
      Emitter.emit t.changes value
    end

  let update t f = set t (f t.value)

  let lift2 ~equal f a b =
    let cell = make ~equal (f a.value b.value) in
    Emitter.on a.changes (fun x -> set cell (f x b.value));
    Emitter.on b.changes (fun y -> set cell (f a.value y));
    cell
end

type input = Key of char | Click of { x : int; y : int } | Tick

let input i =
  let r = ((i * 1103515245) + 12345) lsr 7 land 0xffff in
  match r land 3 with
  | 0 -> Key (Char.chr (97 + (r lsr 2 mod 26)))
  | 1 -> Click { x = r lsr 2 mod 100; y = r lsr 5 mod 100 }
  | _ -> Tick

let () =
  let inputs : input Emitter.t = Emitter.create () in
  let keys = Emitter.filter_map (function Key c -> Some c | Click _ | Tick -> None) inputs in
  let clicks = Emitter.filter_map (function Click { x; y } -> Some (x, y) | Key _ | Tick -> None) inputs in
  let ticks = Emitter.filter (fun e -> e = Tick) inputs |> Emitter.scan (fun n _ -> n + 1) 0 in
  let vowels = Emitter.filter (String.contains "aeiou") keys |> Emitter.scan (fun n _ -> n + 1) 0 in
  let corner = Emitter.filter (fun (x, y) -> x + y < 50) clicks |> Emitter.map (fun (x, y) -> x * y) in
  let last_vowel = ref 0 and last_tick = ref 0 and area = ref 0 and first = ref None in
  Emitter.on vowels (fun n -> last_vowel := n);
  Emitter.on ticks (fun n -> last_tick := n);
  Emitter.on (Emitter.merge corner (Emitter.map (fun n -> n land 7) ticks)) (fun a ->
      area := (!area + a) land 0xffffff);
  Emitter.once clicks (fun at -> first := Some at);
  let equal = Int.equal in
  let width = Cell.make ~equal 0 and height = Cell.make ~equal 0 in
  let surface = Cell.lift2 ~equal ( * ) width height in
  let large = Cell.lift2 ~equal:Bool.equal (fun s w -> s > 2000 && w > 10) surface width in
  let flips = ref 0 in
  Emitter.on large.Cell.changes (fun _ -> incr flips);
  Emitter.on clicks (fun (x, y) ->
      Cell.set width x;
      Cell.set height y);
  Emitter.on keys (fun c -> if c = 'z' then Cell.update width (fun w -> w / 2));
  for i = 1 to 9_000_000 do
    Emitter.emit inputs (input i)
  done;
  let x, y = Option.value !first ~default:(-1, -1) in
  Printf.printf "vowels %d, ticks %d, area %d, first (%d,%d), surface %d, flips %d\n" !last_vowel
    !last_tick !area x y (Cell.get surface) !flips
