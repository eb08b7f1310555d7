let k = List.length !Reg.order + 10
let () = Reg.register "a" (fun x -> x + k)
let () = Reg.plugins := (object method name = "pa" method apply x = Reg.run "a" x * 2 end) :: !Reg.plugins
