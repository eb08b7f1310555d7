val run : int -> int
