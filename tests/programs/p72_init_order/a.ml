let buf = Buffer.create 100
let log s = Buffer.add_string buf s; Buffer.add_char buf ' '
let dump () = Buffer.contents buf
let state = ref 0
let () = log "a1"
let get () = !state
let set n = log (Printf.sprintf "set%d" n); state := n
let v = log "a2"; set 10; get ()
let () = log "a3"
