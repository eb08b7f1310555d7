(* flags: -w -a *)
(* Type-class-like dictionaries: records of functions, polymorphic fields, default methods, dictionaries built by functions. *)
type 'a ord = { cmp : 'a -> 'a -> int; le : 'a -> 'a -> bool }
type 'a show = { show : 'a -> string }
type 'a monoid = { zero : 'a; plus : 'a -> 'a -> 'a }
type functor_ = { map : 'a 'b. ('a -> 'b) -> 'a list -> 'b list }
type 'a num = { add : 'a -> 'a -> 'a; mul : 'a -> 'a -> 'a; neg : 'a -> 'a; of_int : int -> 'a; super : 'a show }
let mk_ord cmp = { cmp; le = (fun a b -> cmp a b <= 0) }
let int_ord = mk_ord (fun (a : int) b -> compare a b) and float_ord = mk_ord (fun (a : float) b -> compare a b)
let pair_ord a b = mk_ord (fun (x, y) (u, v) -> match a.cmp x u with 0 -> b.cmp y v | c -> c)
let rec list_ord o = let rec cmp a b = match a, b with [], [] -> 0 | [], _ -> -1 | _, [] -> 1 | x :: r, y :: s -> (match o.cmp x y with 0 -> cmp r s | c -> c) in mk_ord cmp
let rev o = mk_ord (fun a b -> o.cmp b a)
let rec insert o x = function [] -> [ x ] | y :: r as l -> if o.le x y then x :: l else y :: insert o x r
let sort o l = List.fold_left (fun a x -> insert o x a) [] l
let show_int = { show = string_of_int } and show_float = { show = Printf.sprintf "%g" } let show_list s = { show = (fun l -> "[" ^ String.concat ";" (List.map s.show l) ^ "]") } let show_pair a b = { show = (fun (x, y) -> a.show x ^ "/" ^ b.show y) }
let int_num = { add = ( + ); mul = ( * ); neg = ( ~- ); of_int = Fun.id; super = show_int } and float_num = { add = ( +. ); mul = ( *. ); neg = ( ~-. ); of_int = float; super = show_float }
let complex_num n = { add = (fun (a, b) (c, d) -> (n.add a c, n.add b d)); mul = (fun (a, b) (c, d) -> (n.add (n.mul a c) (n.neg (n.mul b d)), n.add (n.mul a d) (n.mul b c))); neg = (fun (a, b) -> (n.neg a, n.neg b)); of_int = (fun k -> (n.of_int k, n.of_int 0)); super = show_pair n.super n.super }
let rec pow n x k = if k = 0 then n.of_int 1 else if k land 1 = 1 then n.mul x (pow n x (k - 1)) else let h = pow n x (k / 2) in n.mul h h
let poly n cs x = List.fold_right (fun c a -> n.add c (n.mul x a)) cs (n.of_int 0)
let concat m l = List.fold_left m.plus m.zero l
let fn_monoid m = { zero = (fun _ -> m.zero); plus = (fun f g x -> m.plus (f x) (g x)) } let str = { zero = ""; plus = ( ^ ) } let ord_monoid = { zero = 0; plus = (fun a b -> if a <> 0 then a else b) }
let list_functor = { map = List.map } let use f = (f.map succ [ 1; 2 ], f.map string_of_int [ 3 ])
let memo_dict o = let calls = ref 0 in ({ o with cmp = (fun a b -> incr calls; o.cmp a b) }, calls)
let () =
  print_endline ((show_list show_int).show (sort int_ord [ 3; 1; 2 ])); print_endline ((show_list show_float).show (sort (rev float_ord) [ 1.5; -2.; 3. ])); print_endline ((show_list (show_pair show_int show_float)).show (sort (pair_ord int_ord (rev float_ord)) [ (1, 2.); (0, 1.); (1, 3.) ])); print_endline ((show_list (show_list show_int)).show (sort (list_ord int_ord) [ [ 2 ]; [ 1; 5 ]; [ 1 ]; [] ]));
  let c = complex_num int_num and cf = complex_num (complex_num float_num) in print_endline (c.super.show (pow c (1, 2) 7)); print_endline (cf.super.show (pow cf ((1., 0.5), (0., 1.)) 3)); Printf.printf "%d %g\n" (poly int_num [ 1; 2; 3 ] 10) (poly float_num [ 0.5; 0.25 ] 2.); let (a, b) = use list_functor in Printf.printf "%d %s\n" (List.length a) (List.hd b);
  print_endline (concat (fn_monoid (fn_monoid str)) [ (fun x y -> x ^ y); (fun x y -> y ^ "!" ^ x) ] "p" "q"); Printf.printf "%d\n" (concat ord_monoid [ 0; 0; -1; 5 ]); let d, n = memo_dict int_ord in ignore (sort (mk_ord d.cmp) [ 3; 2; 1; 4 ]); Printf.printf "%d\n" !n
