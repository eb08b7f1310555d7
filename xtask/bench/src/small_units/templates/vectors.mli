type t = float array

val make : int -> t
val dot : t -> t -> float
val norm : t -> float
val axpy : float -> t -> t -> unit
val mean : t -> float
val variance : t -> float
val solve : (float -> float) -> float -> float -> float
