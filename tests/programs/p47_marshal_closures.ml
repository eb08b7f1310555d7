(* flags: -w -a *)
(* pitfall 47: marshalling of data and of closures, alone, recursive, with floats and boxed numbers. *)
let copy (x : 'a) : 'a = Marshal.from_string (Marshal.to_string x []) 0
let fcopy (x : 'a) : 'a = Marshal.from_string (Marshal.to_string x [ Marshal.Closures ]) 0
type t = { a : int; mutable b : float; c : t option; d : int64 * int32 * nativeint; e : string array }
type fr = { x : float; y : float }
let o = Sys.opaque_identity
let mk n s f = let k = f *. 2. in
  let rec even i = if i = 0 then Printf.sprintf "%s %d %g" s n k else odd (i - 1) and odd i = if i = 0 then s else even (i - 1) in (even, odd, fun a b c -> a + b + c + n)
let global x = x + 1
let () =
  let v = { a = 1; b = 2.5; c = Some { a = 3; b = 4.; c = None; d = (0L, 0l, 0n); e = [||] }; d = (5L, -6l, 7n); e = [| "p"; "q" |] } in
  let w = copy v in
  Printf.printf "%b %b\n" (v = w) (v == w);
  w.b <- 0.; Printf.printf "%g %g\n" v.b w.b;
  let r = ref 1 in let (p, q) = copy (r, r) in p := 5; Printf.printf "%d %d\n" !q !r;
  let rec cyc = 1 :: 2 :: cyc in let c = copy cyc in Printf.printf "%d %b\n" (List.nth c 5) (List.tl (List.tl c) == c);
  Printf.printf "%b\n" (copy [| 1.; nan; -0. |] |> fun a -> compare a [| 1.; nan; -0. |] = 0);
  Printf.printf "%b\n" (copy { x = 1.; y = 2. } = { x = 1.; y = 2. });
  let (e, od, f3) = fcopy (mk (o 4) (o "clo") (o 1.5)) in
  Gc.compact (); Printf.printf "%s %s %d\n" (e 4) (od 2) (f3 1 2 3);
  let g = fcopy (f3 1 2) in Printf.printf "%d\n" (g 3);
  let h = fcopy global in Printf.printf "%d\n" (h 1);
  let l = fcopy (List.init 3 (fun i -> fun x -> x * i)) in List.iter (fun f -> Printf.printf "%d " (f 10)) l; print_newline ();
  (match Marshal.to_string global [] with _ -> print_endline "?" | exception Invalid_argument s -> print_endline s);
  let lz = copy (lazy 3) and lf = fcopy (let k = o 3 in lazy (k + 1)) in Printf.printf "%d %d\n" (Lazy.force lz) (Lazy.force lf);
  let s = Marshal.to_string [ `A; `B 3 ] [ Marshal.No_sharing ] in Printf.printf "%d %b\n" (Marshal.total_size (Bytes.of_string s) 0 - String.length s) (Marshal.from_string s 0 = [ `A; `B 3 ]);
  let ob = object val mutable n = 3 method get = n method set k = n <- k end in
  let oc = fcopy ob in oc#set 10; Printf.printf "%d %d\n" ob#get oc#get
