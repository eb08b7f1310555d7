module A = Uses.Make (struct let f a b = a - b let k = 3 end)
