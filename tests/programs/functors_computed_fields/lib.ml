(* Functors of another unit, too large to be inlined whole. *)
module type RING = sig
  type t

  val zero : t
  val one : t
  val add : t -> t -> t
  val mul : t -> t -> t
  val show : t -> string
end

module Matrix (R : RING) = struct
  let make n f = Array.init n (fun i -> Array.init n (fun j -> f i j))
  let identity n = make n (fun i j -> if i = j then R.one else R.zero)

  let mul a b =
    let n = Array.length a in
    make n (fun i j ->
        let s = ref R.zero in
        for k = 0 to n - 1 do
          s := R.add !s (R.mul a.(i).(k) b.(k).(j))
        done;
        !s)

  let rec pow a k =
    if k = 0 then identity (Array.length a)
    else if k land 1 = 1 then mul a (pow a (k - 1))
    else
      let h = pow a (k / 2) in
      mul h h

  let trace a =
    let s = ref R.zero in
    Array.iteri (fun i r -> s := R.add !s r.(i)) a;
    !s

  let show a = String.concat ";" (List.map (fun r -> String.concat "," (List.map R.show (Array.to_list r))) (Array.to_list a))
end

module type STORE = sig
  module Key : sig
    type t

    val default : t
    val equal : t -> t -> bool
    val hash : t -> int
  end

  val table : (Key.t, int) Hashtbl.t
  val hits : int ref
  val limit : int
end

module Counter (S : STORE) = struct
  let get k =
    incr S.hits;
    match Hashtbl.find_opt S.table k with Some n -> n | None -> if S.Key.equal k S.Key.default then -1 else 0

  let add k n =
    let m = get k + n in
    if m > S.limit then raise (Invalid_argument "limit");
    Hashtbl.replace S.table k m

  let total () = Hashtbl.fold (fun k n acc -> acc + n + (S.Key.hash k land 1)) S.table 0
  let rec fill k n = if n > 0 then (add k n; fill k (n - 1))
  let same () = S.table
end
