module Names = Map.Make (String)

type t = int Names.t

let count names =
  List.fold_left
    (fun map name -> Names.update name (function None -> Some 1 | Some n -> Some (n + 1)) map)
    Names.empty names

let most map =
  Names.fold (fun name n (best, most) -> if n > most then (name, n) else (best, most)) map ("", NUMBER / 1000)

let merge a b = Names.union (fun _ x y -> Some (x + y)) a b

let rename f map =
  Names.fold
    (fun name n renamed ->
      let name = f name in
      let before = try Names.find name renamed with Not_found -> 0 in
      Names.add name (before + n) renamed)
    map Names.empty

module Cache = struct
  module Table = Hashtbl.Make (struct
    type t = string

    let equal = String.equal
    let hash = Hashtbl.hash
  end)

  type 'a t = { table : 'a Table.t; compute : string -> 'a; mutable hits : int }

  let create compute = { table = Table.create 16; compute; hits = 0 }

  let find t key =
    match Table.find_opt t.table key with
    | Some value ->
        t.hits <- t.hits + 1;
        value
    | None ->
        let value = t.compute key in
        Table.replace t.table key value;
        value

  let hits t = t.hits
end
