(** The stack of a reader of terms in postfix: what has been read and waits for the term that it is an operand of. *)

module Reader = Byte_reader

type 'a t = {
  reader : Reader.t;  (** For messages. *)
  placeholder : 'a;  (** Stands where nothing does. *)
  mutable items : 'a array;
  mutable height : int;
}

let create reader ~placeholder = { reader; placeholder; items = Array.make 64 placeholder; height = 0 }

let push stack item =
  let capacity = Array.length stack.items in
  if stack.height = capacity then begin
    let larger = Array.make (2 * capacity) stack.placeholder in
    Array.blit stack.items 0 larger 0 capacity;
    stack.items <- larger
  end;
  stack.items.(stack.height) <- item;
  stack.height <- stack.height + 1

(** @raise Byte_reader.Malformed if nothing is left. *)
let pop stack =
  if stack.height = 0 then Reader.malformed stack.reader "operand missing";
  let height = stack.height - 1 in
  stack.height <- height;
  let item = stack.items.(height) in
  stack.items.(height) <- stack.placeholder;
  item

(** The last [n] pushed, in the order in which they were.
    @raise Byte_reader.Malformed if so many are not left. *)
let pop_list stack n =
  let rec pop_onto rest n = if n = 0 then rest else pop_onto (pop stack :: rest) (n - 1) in
  pop_onto [] n

let is_empty stack = stack.height = 0
