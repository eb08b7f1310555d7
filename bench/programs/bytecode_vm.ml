(* A compiler to bytecode and a stack machine with frames, functions and a heap. *)

type expr =
  | Num of int
  | Var of string
  | Arith of op * expr * expr
  | Compare of test * expr * expr
  | Call of string * expr list
  | Get of expr

and op = Plus | Minus | Times | Quotient | Remainder
and test = Less | Same

type stmt =
  | Set of string * expr
  | Put of expr * expr
  | When of expr * stmt list * stmt list
  | Loop of expr * stmt list
  | Result of expr

type def = { name : string; params : string list; body : stmt list }

type instruction =
  | Const of int
  | Load of int
  | Store of int
  | Binary of op
  | Test of test
  | Read
  | Write
  | Jump of int
  | Jump_if_zero of int
  | Invoke of int * int
  | Return
  | Halt

(* Compilation: code is emitted into a growing array and jumps are patched. *)
module Code = struct
  type t = { mutable items : instruction array; mutable length : int }

  let create () = { items = Array.make 64 Halt; length = 0 }

  let emit t i =
    if t.length = Array.length t.items then
      t.items <- Array.append t.items (Array.make t.length Halt);
    t.items.(t.length) <- i;
    t.length <- t.length + 1

  let reserve t =
    emit t Halt;
    t.length - 1

  let patch t at i = t.items.(at) <- i
end

type scope = { slots : (string, int) Hashtbl.t; entries : (string, int) Hashtbl.t }

let slot scope name =
  match Hashtbl.find_opt scope.slots name with
  | Some i -> i
  | None ->
    let i = Hashtbl.length scope.slots in
    Hashtbl.add scope.slots name i;
    i

let rec compile_expr code scope = function
  | Num n -> Code.emit code (Const n)
  | Var x -> Code.emit code (Load (slot scope x))
  | Arith (op, a, b) ->
    compile_expr code scope a;
    compile_expr code scope b;
    Code.emit code (Binary op)
  | Compare (test, a, b) ->
    compile_expr code scope a;
    compile_expr code scope b;
    Code.emit code (Test test)
  | Get e ->
    compile_expr code scope e;
    Code.emit code Read
  | Call (f, args) ->
    List.iter (compile_expr code scope) args;
    Code.emit code (Invoke (Hashtbl.find scope.entries f, List.length args))

let rec compile_stmt code scope = function
  | Set (x, e) ->
    compile_expr code scope e;
    Code.emit code (Store (slot scope x))
  | Put (at, e) ->
    compile_expr code scope at;
    compile_expr code scope e;
    Code.emit code Write
  | Result e ->
    compile_expr code scope e;
    Code.emit code Return
  | When (c, yes, no) ->
    compile_expr code scope c;
    let to_no = Code.reserve code in
    List.iter (compile_stmt code scope) yes;
    let to_end = Code.reserve code in
    Code.patch code to_no (Jump_if_zero code.length);
    List.iter (compile_stmt code scope) no;
    Code.patch code to_end (Jump code.length)
  | Loop (c, body) ->
    let start = code.length in
    compile_expr code scope c;
    let out = Code.reserve code in
    List.iter (compile_stmt code scope) body;
    Code.emit code (Jump start);
    Code.patch code out (Jump_if_zero code.length)

let compile_def code entries { name; params; body } =
  Hashtbl.replace entries name code.Code.length;
  let scope = { slots = Hashtbl.create 8; entries } in
  List.iter (fun p -> ignore (slot scope p)) params;
  List.iter (compile_stmt code scope) body;
  Code.emit code (Const 0);
  Code.emit code Return

(* The machine. Frames take [frame_size] cells of the stack. *)
let frame_size = 12

type machine = {
  code : instruction array;
  stack : int array;
  heap : int array;
  mutable pc : int;
  mutable sp : int;
  mutable fp : int;
  mutable executed : int;
}

let binary op a b =
  match op with
  | Plus -> a + b
  | Minus -> a - b
  | Times -> a * b
  | Quotient -> a / b
  | Remainder -> a mod b

let push m v =
  m.stack.(m.sp) <- v;
  m.sp <- m.sp + 1

let pop m =
  m.sp <- m.sp - 1;
  m.stack.(m.sp)

(* Above the locals a frame keeps the caller's pc and fp. *)
let invoke m entry argc =
  let fp = m.sp - argc in
  m.stack.(fp + frame_size) <- m.pc;
  m.stack.(fp + frame_size + 1) <- m.fp;
  m.fp <- fp;
  m.sp <- fp + frame_size + 2;
  m.pc <- entry

let rec run m =
  let instruction = m.code.(m.pc) in
  m.pc <- m.pc + 1;
  m.executed <- m.executed + 1;
  match instruction with
  | Const n -> push m n; run m
  | Load i -> push m m.stack.(m.fp + i); run m
  | Store i -> m.stack.(m.fp + i) <- pop m; run m
  | Binary op ->
    let b = pop m in
    let a = pop m in
    push m (binary op a b);
    run m
  | Test test ->
    let b = pop m in
    let a = pop m in
    let holds = match test with Less -> a < b | Same -> a = b in
    push m (Bool.to_int holds);
    run m
  | Read -> push m m.heap.(pop m); run m
  | Write ->
    let v = pop m in
    m.heap.(pop m) <- v;
    run m
  | Jump target -> m.pc <- target; run m
  | Jump_if_zero target -> if pop m = 0 then m.pc <- target; run m
  | Invoke (entry, argc) -> invoke m entry argc; run m
  | Return ->
    let v = pop m in
    let fp = m.fp in
    m.pc <- m.stack.(fp + frame_size);
    m.fp <- m.stack.(fp + frame_size + 1);
    m.sp <- fp;
    push m v;
    run m
  | Halt -> pop m

let ( + ) a b = Arith (Plus, a, b)
let ( - ) a b = Arith (Minus, a, b)
let ( * ) a b = Arith (Times, a, b)
let ( % ) a b = Arith (Remainder, a, b)
let ( < ) a b = Compare (Less, a, b)
let ( = ) a b = Compare (Same, a, b)
let n x = Num x
let v x = Var x

let ackermann =
  { name = "ack"; params = [ "m"; "n" ];
    body =
      [ When (v "m" = n 0, [ Result (v "n" + n 1) ], []);
        When (v "n" = n 0, [ Result (Call ("ack", [ v "m" - n 1; n 1 ])) ], []);
        Result (Call ("ack", [ v "m" - n 1; Call ("ack", [ v "m"; v "n" - n 1 ]) ])) ] }

let sieve =
  { name = "sieve"; params = [ "limit" ];
    body =
      [ Set ("i", n 2); Set ("count", n 0);
        Loop
          ( v "i" < v "limit",
            [ When
                ( Get (v "i") = n 0,
                  [ Set ("count", v "count" + n 1); Set ("j", v "i" * n 2);
                    Loop (v "j" < v "limit", [ Put (v "j", n 1); Set ("j", v "j" + v "i") ]) ],
                  [] );
              Set ("i", v "i" + n 1) ] );
        Result (v "count") ] }

let power =
  { name = "power"; params = [ "b"; "e" ];
    body =
      [ Set ("r", n 1);
        Loop
          ( n 0 < v "e",
            [ When (v "e" % n 2 = n 1, [ Set ("r", v "r" * v "b" % n 1_000_007) ], []);
              Set ("b", v "b" * v "b" % n 1_000_007);
              Set ("e", Arith (Quotient, v "e", n 2)) ] );
        Result (v "r") ] }

let powers =
  { name = "powers"; params = [ "k" ];
    body =
      [ Set ("sum", n 0);
        Loop
          ( n 0 < v "k",
            [ Set ("sum", v "sum" + Call ("power", [ v "k"; n 123456 ])); Set ("k", v "k" - n 1) ] );
        Result (v "sum") ] }

let call_main entries code f args =
  let entry = code.Code.length in
  compile_expr code { slots = Hashtbl.create 1; entries } (Call (f, List.map (fun x -> Num x) args));
  Code.emit code Halt;
  let m =
    { code = Array.sub code.items 0 code.length; stack = Array.make 400_000 0;
      heap = Array.make 1_000_001 0; pc = entry; sp = 0; fp = 0; executed = 0 }
  in
  let result = run m in
  Printf.printf "%s %d (%d instructions)\n" f result m.executed

let () =
  let code = Code.create () and entries = Hashtbl.create 8 in
  Hashtbl.replace entries "ack" 0;
  List.iter (compile_def code entries) [ ackermann; sieve; power; powers ];
  call_main entries code "ack" [ 3; 7 ];
  call_main entries code "sieve" [ 1_000_000 ];
  call_main entries code "powers" [ 50_000 ]
