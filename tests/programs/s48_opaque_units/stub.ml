let name = "real implementation"
let limit = 17
let scale x = x * limit
type r = { a : int; b : float }
let default = { a = 4; b = 2.5 }
