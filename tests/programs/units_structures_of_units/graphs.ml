module Make (K : Keys.KEY) = struct
  module H = Hashtbl.Make (K)
  type t = { out : K.t list H.t; mutable all : K.t list }
  exception Cycle of K.t
  let of_list l =
    let t = { out = H.create 16; all = [] } in
    let node k = if not (H.mem t.out k) then begin H.replace t.out k []; t.all <- k :: t.all end in
    List.iter (fun (a, b) -> node a; node b; H.replace t.out a (b :: H.find t.out a)) l;
    t.all <- List.rev t.all;
    t
  (* Each makes functions that call each other, and what these capture is of two functors. *)
  let reach t k =
    let seen = H.create 16 in
    let rec visit acc k = if H.mem seen k then acc else begin H.add seen k (); List.fold_left visit (k :: acc) (H.find t.out k) end in
    List.rev (visit [] k)
  let order t =
    let marks = H.create 16 and out = ref [] in
    let rec visit k =
      match H.find_opt marks k with
      | Some true -> ()
      | Some false -> raise (Cycle k)
      | None -> H.replace marks k false; List.iter (fun k -> visit k) (H.find t.out k); H.replace marks k true; out := k :: !out
    in
    List.iter visit t.all;
    !out
  let components t =
    let index = H.create 16 and low = H.create 16 and stack = ref [] and next = ref 0 and out = Buffer.create 80 in
    let rec visit k =
      H.replace index k !next; H.replace low k !next; incr next; stack := k :: !stack;
      List.iter
        (fun j ->
          if not (H.mem index j) then begin visit j; H.replace low k (min (H.find low k) (H.find low j)) end
          else if List.exists (K.equal j) !stack then H.replace low k (min (H.find low k) (H.find index j)))
        (H.find t.out k);
      if H.find low k = H.find index k then begin
        let rec pop = function
          | j :: rest -> Buffer.add_string out (K.show j ^ " "); if K.equal j k then stack := rest else pop rest
          | [] -> assert false
        in
        pop !stack;
        Buffer.add_char out '.'
      end
    in
    List.iter (fun k -> if not (H.mem index k) then visit k) t.all;
    Buffer.contents out
  let handed t =
    let k = (module K : Keys.KEY with type t = K.t) in
    let both a b = List.exists (K.equal b) (reach t a) && List.exists (K.equal a) (reach t b) in
    both, k
end
