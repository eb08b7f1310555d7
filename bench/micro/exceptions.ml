(* Exceptions that are raised and caught in one function (D13). *)

let row = Measure.row

exception Found of float
exception Index of int
exception Done

let () =
  row ~flambda2:5 "D13 a float exception payload caught here" (fun n ->
      let s = ref 0. in
      for i = 1 to n do
        match if i land 1 = 0 then raise (Found (float i)) else raise (Found 1.) with
        | x -> s := !s +. x
        | exception Found x -> s := !s +. x
      done;
      !s);
  row ~flambda2:0 "D13 an integer exception payload caught here" (fun n ->
      let s = ref 0 in
      for i = 1 to n do
        try if i > 0 then raise (Index i) with Index k -> s := !s + k
      done;
      !s);
  row ~flambda2:0 "D13 a local exception" (fun n ->
      let s = ref 0 in
      for i = 1 to n do
        let exception Stop of int * int in
        try
          for k = 0 to 3 do
            if k = i land 3 then raise (Stop (k, i))
          done
        with Stop (k, i) -> s := !s + k + i
      done;
      !s);
  row "D13 a search that raises" (fun n ->
      let s = ref 0 in
      for i = 1 to n do
        try
          for k = 0 to 9 do
            if k * k > i land 63 then raise (Index k)
          done
        with Index k -> s := !s + k
      done;
      !s);
  row "D13 a constant exception" (fun n ->
      let s = ref 0 in
      for i = 1 to n do
        try if i land 3 = 0 then raise Done else incr s with Done -> decr s
      done;
      !s)
