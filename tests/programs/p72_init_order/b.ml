let early = A.get ()
module M = struct let () = A.log "M" let x = (A.log "M.x"; early + 1) module N = struct let y = A.log "N.y"; x + 1 end end
let fwd = ref (fun () -> -1)
let call_early = !fwd ()
let late = M.N.y * 2
let () = fwd := (fun () -> late)
let call_late = !fwd ()
let rec self () = if tbl_len () > 0 then 1 else 2
and tbl_len () = List.length !table
and table = ref []
let s1 = self ()
let () = table := [ 1 ]
let s2 = self ()
include (struct let z = A.log "z"; 1 let w = A.log "w"; z + 1 end : sig val w : int end)
let w = A.log "shadow"; w * 10
