(* flags: -w -a *)
(* A bank with objects: accounts, limits, observers, transactions rolled back by exceptions. *)
exception Insufficient of { need : int; have : int }
exception Frozen of string
type event = Deposit of int | Withdraw of int | Interest of float | Transfer of string * int
class virtual account (owner : string) = object (self : 'self)
  val mutable balance = 0
  val mutable log : event list = []
  val mutable frozen = false
  val mutable observers : (string -> event -> unit) list = []
  method owner = owner
  method balance = balance
  method freeze = frozen <- true
  method observe f = observers <- f :: observers
  method private record e = log <- e :: log; List.iter (fun f -> f owner e) observers
  method private guard = if frozen then raise (Frozen owner)
  method virtual available : int
  method virtual kind : string
  method deposit n = self#guard; if n < 0 then invalid_arg "deposit"; balance <- balance + n; self#record (Deposit n)
  method withdraw n = self#guard; if n > self#available then raise (Insufficient { need = n; have = self#available }); balance <- balance - n; self#record (Withdraw n)
  method transfer : 'b. (< deposit : int -> unit; owner : string; .. > as 'b) -> int -> unit = fun o n -> self#withdraw n; (try o#deposit n with e -> balance <- balance + n; log <- List.tl log; raise e); self#record (Transfer (o#owner, n))
  method log = List.rev log
  method snapshot = {< log = log >}
  method month_end = ()
end
class checking owner limit = object (self) inherit account owner method available = balance + limit method kind = "checking" end
class savings owner rate = object (self)
  inherit account owner as super
  val mutable withdrawals = 0
  method available = balance
  method kind = "savings"
  method! withdraw n = if withdrawals >= 2 then failwith "too many withdrawals"; super#withdraw n; withdrawals <- withdrawals + 1
  method! month_end = super#month_end; withdrawals <- 0; let i = truncate (float balance *. rate) in balance <- balance + i; self#record (Interest rate)
end
class premium owner = object inherit savings owner 0.1 as s method! available = s#available + 50 method! kind = "premium " ^ s#kind end
class bank = object (self)
  val accounts : (string, account) Hashtbl.t = Hashtbl.create 5
  val mutable total_events = 0
  method add : 'a. (#account as 'a) -> unit = fun a -> a#observe (fun _ _ -> total_events <- total_events + 1); Hashtbl.replace accounts a#owner (a :> account)
  method find n = Hashtbl.find accounts n
  method atomically (f : unit -> unit) = let snap = Hashtbl.fold (fun k a l -> (k, a#balance) :: l) accounts [] in try f (); true with (Insufficient _ | Frozen _ | Failure _) as e -> List.iter (fun (k, b) -> let a = self#find k in if a#balance <> b then Printf.printf "  (%s was %d)" k b) (List.sort compare snap); Printf.printf "  rolled: %s\n" (match e with Insufficient { need; have } -> Printf.sprintf "need %d have %d" need have | Frozen s -> s ^ " frozen" | Failure s -> s | _ -> "?"); false
  method report = Hashtbl.fold (fun k a l -> (k, a#kind, a#balance) :: l) accounts [] |> List.sort compare |> List.iter (fun (k, t, b) -> Printf.printf "%s (%s): %d\n" k t b)
  method events = total_events
end
let () =
  let b = new bank in
  b#add (new checking "ann" 100); b#add (new savings "bob" 0.05); b#add (new premium "eve");
  let ann = b#find "ann" and bob = b#find "bob" and eve = b#find "eve" in
  let run f = Printf.printf "%b\n" (b#atomically f) in
  run (fun () -> ann#deposit 500; bob#deposit 1000; eve#deposit 10);
  run (fun () -> ann#transfer bob 550); run (fun () -> ann#transfer eve 100); run (fun () -> eve#withdraw 50); run (fun () -> eve#withdraw 500);
  run (fun () -> bob#withdraw 1; bob#withdraw 1; bob#withdraw 1); b#report;
  bob#month_end; eve#month_end; run (fun () -> bob#withdraw 1); eve#freeze; run (fun () -> bob#transfer eve 10); (match ann#deposit (-1) with () -> () | exception Invalid_argument m -> print_endline m);
  let snap = bob#snapshot in bob#deposit 5; Printf.printf "%d %d %d\n" snap#balance bob#balance (List.length snap#log);
  b#report; List.iter (function Deposit n -> Printf.printf "D%d " n | Withdraw n -> Printf.printf "W%d " n | Interest r -> Printf.printf "I%g " r | Transfer (o, n) -> Printf.printf "T%s%d " o n) (ann#log @ bob#log); Printf.printf "%d\n" b#events
