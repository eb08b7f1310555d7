let () = Reg.register "b" (fun x -> Reg.run "a" x * 10)
let () = Reg.register "c" (let n = ref 0 in fun x -> incr n; x * !n)
let prev = !Reg.hook
let () = Reg.hook := fun s -> prev s; print_endline ("hook b " ^ s)
exception Plug of Reg.plugin
let () = try raise (Plug (object method name = "pb" method apply x = -x end)) with Plug p -> Reg.plugins := p :: !Reg.plugins
