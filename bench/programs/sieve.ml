(* Imperative sieves: Eratosthenes over bytes, in segments, smallest prime factors and totients. *)

let is_prime_table limit =
  let table = Bytes.make (limit + 1) '\001' in
  Bytes.set table 0 '\000';
  Bytes.set table 1 '\000';
  let i = ref 2 in
  while !i * !i <= limit do
    if Bytes.get table !i = '\001' then begin
      let j = ref (!i * !i) in
      while !j <= limit do
        Bytes.set table !j '\000';
        j := !j + !i
      done
    end;
    incr i
  done;
  table

let primes_of table =
  let count = ref 0 in
  Bytes.iter (fun c -> if c = '\001' then incr count) table;
  let primes = Array.make !count 0 in
  let next = ref 0 in
  for i = 0 to Bytes.length table - 1 do
    if Bytes.get table i = '\001' then begin
      primes.(!next) <- i;
      incr next
    end
  done;
  primes

(* Counts the primes below [limit] with a window that fits the cache. *)
let count_segmented limit =
  let root = int_of_float (sqrt (float_of_int limit)) + 1 in
  let primes = primes_of (is_prime_table root) in
  let width = 32_768 in
  let window = Array.make width true in
  let count = ref 0 in
  let low = ref 2 in
  while !low < limit do
    let high = min limit (!low + width) in
    Array.fill window 0 width true;
    for k = 0 to Array.length primes - 1 do
      let p = primes.(k) in
      if p * p < high then begin
        let first = max (p * p) ((!low + p - 1) / p * p) in
        let j = ref (first - !low) in
        while !j < high - !low do
          window.(!j) <- false;
          j := !j + p
        done
      end
    done;
    for j = 0 to high - !low - 1 do
      if window.(j) then incr count
    done;
    low := high
  done;
  !count

(* The linear sieve of least prime factors. *)
let least_factors limit =
  let factor = Array.make (limit + 1) 0 in
  let primes = Array.make (limit / 2) 0 in
  let count = ref 0 in
  for i = 2 to limit do
    if factor.(i) = 0 then begin
      factor.(i) <- i;
      primes.(!count) <- i;
      incr count
    end;
    let k = ref 0 in
    while !k < !count && primes.(!k) <= factor.(i) && i * primes.(!k) <= limit do
      factor.(i * primes.(!k)) <- primes.(!k);
      incr k
    done
  done;
  factor

let totient_sum factor =
  let limit = Array.length factor - 1 in
  let phi = Array.make (limit + 1) 1 in
  let sum = ref 1 in
  for i = 2 to limit do
    let p = factor.(i) in
    let rest = i / p in
    phi.(i) <- (if rest mod p = 0 then phi.(rest) * p else phi.(rest) * (p - 1));
    sum := !sum + phi.(i)
  done;
  !sum

let divisor_counts limit =
  let counts = Array.make (limit + 1) 0 in
  for d = 1 to limit do
    let m = ref d in
    while !m <= limit do
      counts.(!m) <- counts.(!m) + 1;
      m := !m + d
    done
  done;
  let best = ref 1 in
  for i = 2 to limit do
    if counts.(i) > counts.(!best) then best := i
  done;
  (!best, counts.(!best))

let () =
  let primes = primes_of (is_prime_table 10_000_000) in
  Printf.printf "plain: %d primes, last %d\n" (Array.length primes) primes.(Array.length primes - 1);
  Printf.printf "segmented: %d primes\n" (count_segmented 60_000_000);
  Printf.printf "totients: %d\n" (totient_sum (least_factors 4_000_000));
  let best, count = divisor_counts 1_000_000 in
  Printf.printf "divisors: %d has %d\n" best count
