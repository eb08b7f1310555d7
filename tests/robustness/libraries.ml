let () =
  let result = ref 0 in
  let lock = Mutex.create () in
  let work n = Mutex.lock lock; result := !result + n; Mutex.unlock lock in
  List.iter Thread.join (List.map (Thread.create work) [ 1; 2 ]);
  Printf.printf "thread %d\n" !result;
  Printf.printf "str %s\n" (List.nth (Str.split (Str.regexp "[ ,]+") "a, b c") 1);
  Printf.printf "unix %b\n" (Unix.getpid () > 0 && Unix.gettimeofday () > 1e9)
