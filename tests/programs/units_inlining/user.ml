let f x = Small.incr_by 3 (Small.incr_by 4 x)
let g x = Small.scale 2. (Small.scale 0.5 x) +. Small.pi2
let h l = Small.rec_sum (List.map (Small.compose (Small.incr_by 1) (fun x -> x * 2)) l)
let first = Small.arr.(0)
let bump () = Small.arr.(0) <- Small.arr.(0) + 1; Small.cell := !Small.cell * 2; Small.farr.(1) <- 9.
