(* Manual 21.6: attributes of functors. *)

module F (M : sig val x : int end) = struct let y = M.x + 1 end [@@inline never]
module X = F (struct let x = 1 end)
(* expect entry: 1 call of F *)

module G (M : sig val x : int end) = struct let y = M.x + 1 end
module Y = G (struct let x = 1 end)
module Z = G [@inlined never] (struct let x = 1 end)
(* expect entry: 1 call of G *)
