val words : string -> string list
val join : string -> string list -> string
val escape : string -> string
val hash : string -> int
val describe : string -> int -> string
val parse_int : string -> (int, string) result
val is_keyword : string -> bool
