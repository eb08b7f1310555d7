(** The primitive of Lambda that one of Clambda is. *)

open Clambda_primitives

let is_unsafe = function Lambda.Unsafe -> true | Safe -> false

(** [None] for one that has no counterpart, or that bodies of functions that are inlined need not have. *)
let of_clambda (prim : primitive) : Lambda.primitive option =
  match prim with
  | Pmakeblock (tag, mutability, shape) -> Some (Pmakeblock (tag, mutability, shape))
  | Pfield_computed -> Some Pfield_computed
  | Psetfield (n, pointer, init) -> Some (Psetfield (n, pointer, init))
  | Psetfield_computed (pointer, init) -> Some (Psetfield_computed (pointer, init))
  | Pfloatfield n -> Some (Pfloatfield n)
  | Psetfloatfield (n, init) -> Some (Psetfloatfield (n, init))
  | Pduprecord (representation, size) -> Some (Pduprecord (representation, size))
  | Pccall description -> Some (Pccall description)
  | Praise kind -> Some (Praise kind)
  | Psequand -> Some Psequand
  | Psequor -> Some Psequor
  | Pnot -> Some Pnot
  | Pnegint -> Some Pnegint
  | Paddint -> Some Paddint
  | Psubint -> Some Psubint
  | Pmulint -> Some Pmulint
  | Pdivint safe -> Some (Pdivint safe)
  | Pmodint safe -> Some (Pmodint safe)
  | Pandint -> Some Pandint
  | Porint -> Some Porint
  | Pxorint -> Some Pxorint
  | Plslint -> Some Plslint
  | Plsrint -> Some Plsrint
  | Pasrint -> Some Pasrint
  | Pintcomp comparison -> Some (Pintcomp comparison)
  | Pcompare_ints -> Some Pcompare_ints
  | Pcompare_floats -> Some Pcompare_floats
  | Pcompare_bints kind -> Some (Pcompare_bints kind)
  | Poffsetint n -> Some (Poffsetint n)
  | Poffsetref n -> Some (Poffsetref n)
  | Pintoffloat -> Some Pintoffloat
  | Pfloatofint -> Some Pfloatofint
  | Pnegfloat -> Some Pnegfloat
  | Pabsfloat -> Some Pabsfloat
  | Paddfloat -> Some Paddfloat
  | Psubfloat -> Some Psubfloat
  | Pmulfloat -> Some Pmulfloat
  | Pdivfloat -> Some Pdivfloat
  | Pfloatcomp comparison -> Some (Pfloatcomp comparison)
  | Pstringlength -> Some Pstringlength
  | Pstringrefu -> Some Pstringrefu
  | Pstringrefs -> Some Pstringrefs
  | Pbyteslength -> Some Pbyteslength
  | Pbytesrefu -> Some Pbytesrefu
  | Pbytesrefs -> Some Pbytesrefs
  | Pbytessetu -> Some Pbytessetu
  | Pbytessets -> Some Pbytessets
  | Pmakearray (kind, mutability) -> Some (Pmakearray (kind, mutability))
  | Pduparray (kind, mutability) -> Some (Pduparray (kind, mutability))
  | Parraylength kind -> Some (Parraylength kind)
  | Parrayrefu kind -> Some (Parrayrefu kind)
  | Parrayrefs kind -> Some (Parrayrefs kind)
  | Parraysetu kind -> Some (Parraysetu kind)
  | Parraysets kind -> Some (Parraysets kind)
  | Pisint -> Some Pisint
  | Pisout -> Some Pisout
  | Pbintofint kind -> Some (Pbintofint kind)
  | Pintofbint kind -> Some (Pintofbint kind)
  | Pcvtbint (from, to_) -> Some (Pcvtbint (from, to_))
  | Pnegbint kind -> Some (Pnegbint kind)
  | Paddbint kind -> Some (Paddbint kind)
  | Psubbint kind -> Some (Psubbint kind)
  | Pmulbint kind -> Some (Pmulbint kind)
  | Pdivbint { size; is_safe } -> Some (Pdivbint { size; is_safe })
  | Pmodbint { size; is_safe } -> Some (Pmodbint { size; is_safe })
  | Pandbint kind -> Some (Pandbint kind)
  | Porbint kind -> Some (Porbint kind)
  | Pxorbint kind -> Some (Pxorbint kind)
  | Plslbint kind -> Some (Plslbint kind)
  | Plsrbint kind -> Some (Plsrbint kind)
  | Pasrbint kind -> Some (Pasrbint kind)
  | Pbintcomp (kind, comparison) -> Some (Pbintcomp (kind, comparison))
  | Pbigarrayref (unsafe, dims, kind, layout) -> Some (Pbigarrayref (unsafe, dims, kind, layout))
  | Pbigarrayset (unsafe, dims, kind, layout) -> Some (Pbigarrayset (unsafe, dims, kind, layout))
  | Pbigarraydim n -> Some (Pbigarraydim n)
  | Pstring_load (Sixteen, safe) -> Some (Pstring_load_16 (is_unsafe safe))
  | Pstring_load (Thirty_two, safe) -> Some (Pstring_load_32 (is_unsafe safe))
  | Pstring_load (Sixty_four, safe) -> Some (Pstring_load_64 (is_unsafe safe))
  | Pbytes_load (Sixteen, safe) -> Some (Pbytes_load_16 (is_unsafe safe))
  | Pbytes_load (Thirty_two, safe) -> Some (Pbytes_load_32 (is_unsafe safe))
  | Pbytes_load (Sixty_four, safe) -> Some (Pbytes_load_64 (is_unsafe safe))
  | Pbytes_set (Sixteen, safe) -> Some (Pbytes_set_16 (is_unsafe safe))
  | Pbytes_set (Thirty_two, safe) -> Some (Pbytes_set_32 (is_unsafe safe))
  | Pbytes_set (Sixty_four, safe) -> Some (Pbytes_set_64 (is_unsafe safe))
  | Pbigstring_load (Sixteen, safe) -> Some (Pbigstring_load_16 (is_unsafe safe))
  | Pbigstring_load (Thirty_two, safe) -> Some (Pbigstring_load_32 (is_unsafe safe))
  | Pbigstring_load (Sixty_four, safe) -> Some (Pbigstring_load_64 (is_unsafe safe))
  | Pbigstring_set (Sixteen, safe) -> Some (Pbigstring_set_16 (is_unsafe safe))
  | Pbigstring_set (Thirty_two, safe) -> Some (Pbigstring_set_32 (is_unsafe safe))
  | Pbigstring_set (Sixty_four, safe) -> Some (Pbigstring_set_64 (is_unsafe safe))
  | Pbswap16 -> Some Pbswap16
  | Pbbswap kind -> Some (Pbbswap kind)
  | Popaque -> Some Popaque
  | prim -> Field_of_clambda.field prim
