let () = Printf.printf "%d %s %d\n" Pack.Pack_b.three (Pack.Pack_a.mark "x") Pack.Pack_b.Inner.seven
