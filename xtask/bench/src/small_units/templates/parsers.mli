type 'a t = string -> int -> ('a * int, int) result

val return : 'a -> 'a t
val bind : 'a t -> ('a -> 'b t) -> 'b t
val map : ('a -> 'b) -> 'a t -> 'b t
val ( <|> ) : 'a t -> 'a t -> 'a t
val char : char -> char t
val number : int t
val many : 'a t -> 'a list t
val sum : int t
val parse : 'a t -> string -> 'a option
