(* slow: stores into an array of any elements; first: store; remedy: annotate what is stored *)
let[@inline never] reverse a =
  let n = Array.length a in
  for i = 0 to (n / 2) - 1 do
    let x = a.(i) in
    a.(i) <- a.(n - 1 - i);
    a.(n - 1 - i) <- x
  done

let a = Array.init 1000 (fun i -> i)
let () = for _ = 1 to 200_000 do reverse a done; print_int a.(0)
