(* Closures that functions of the stock library make: stock code knows what they capture and calls their code directly,
   so that they must be the stock library's or be called by what the closure says. *)

let evens = List.filter (fun x -> x land 1 = 0)
let odds l = List.find_all (fun x -> x land 1 = 1) l
let by_parity l = (evens l, odds l)
let find_all_of f = List.find_all f
let compose_all l = List.fold_left (fun f g x -> g (f x)) (fun x -> x + 0) l
let flipped = Fun.flip ( - )
let negated = Fun.negate (fun x -> x > 2)
let const_seven : int -> int = Fun.const 7
let to_text = Printf.sprintf "%d-%s"
let splitter = String.split_on_char ','
let seq_of l = Seq.map succ (List.to_seq l)
let compare_by f = Option.compare (fun a b -> compare (f a) (f b))
