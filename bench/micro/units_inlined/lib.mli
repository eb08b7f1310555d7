val pow : int -> int -> int
val single : int -> int -> int -> int
val big : int -> int -> int
