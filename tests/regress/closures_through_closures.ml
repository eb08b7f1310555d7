(* A closure that is kept, and is read by another one that has captured it, gives this a third, which is lifted: all
   three belong together, though the second never captured the third (found in why3's transform/apply.ml). *)

let kept : (int -> int) list ref = ref []

let[@inline never] memo f =
  kept := f :: !kept;
  f

let bind f g = fun task -> g (f task) task

let store f =
  let remembered = memo f in
  fun task -> if task > 3 then f task else remembered task

let[@inline never] found x = x + 1

let[@inline never] transformation start count =
  let add x =
    if x > 10 then failwith "large";
    let sum = ref start in
    for i = 0 to count do sum := !sum + (i * x) done;
    fun y -> y + !sum
  in
  let subtract x =
    if x > 1000 then failwith "larger";
    let sum = ref start in
    for i = 0 to count do sum := !sum - (i * x) done;
    fun y -> y - !sum
  in
  store (bind (store (bind found add)) subtract)

let () =
  for task = 0 to 12 do
    match transformation 1 2 task with
    | result -> Printf.printf "%d " result
    | exception Failure why -> Printf.printf "%s " why
  done;
  Printf.printf "%d\n" (List.fold_left (fun sum f -> sum + f 2) 0 !kept)
