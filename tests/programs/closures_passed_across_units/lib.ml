(* Functions that make closures and pass them to lifted functions: other units are not to copy the closures alone. *)
let[@inline never] look x = Sys.opaque_identity x

let constant s x =
  let[@inline never] g y = look (y + s) in
  let[@inline never] h z =
    let a = look (g z) + look (g (z + 1)) in
    let a = if look a > 3 then look (a + 1) + g a else g 3 in
    let a = if look a > 5 then look (a + 1) + g a else g 5 in
    let a = if look a > 6 then look (a + 1) + g a else g 7 in
    let a = if look a > 7 then look (a + 1) + g a else g 8 in
    let a = if look a > 7 then look (a + 1) + g a else g 8 in
    let a = if look a > 7 then look (a + 1) + g a else g 8 in
    let a = if look a > 7 then look (a + 1) + g a else g 8 in
    a land 0xFFFF
  in
  h x + h (x + 1)

let two s t x =
  let[@inline never] g y = look (y + (s * 3) + (t * 5)) in
  let[@inline never] h z =
    let a = look (g z) + look (g (z + 1)) in
    let a = if look a > 3 then look (a + 1) + g a else g 3 in
    let a = if look a > 5 then look (a + 1) + g a else g 5 in
    let a = if look a > 6 then look (a + 1) + g a else g 7 in
    let a = if look a > 7 then look (a + 1) + g a else g 8 in
    let a = if look a > 7 then look (a + 1) + g a else g 8 in
    let a = if look a > 7 then look (a + 1) + g a else g 8 in
    a land 0xFFFF
  in
  h x - h (x + 1)

let kept = ref (fun x -> x)

let escapes s x =
  let[@inline never] g y = look (y + s) in
  let[@inline never] h z =
    let a = look (g z) + look (g (z + 1)) in
    let a = if look a > 3 then look (a + 1) + g a else g 3 in
    let a = if look a > 5 then look (a + 1) + g a else g 5 in
    let a = if look a > 6 then look (a + 1) + g a else g 7 in
    let a = if look a > 7 then look (a + 1) + g a else g 8 in
    let a = if look a > 7 then look (a + 1) + g a else g 8 in
    let a = if look a > 7 then look (a + 1) + g a else g 8 in
    a land 0xFFFF
  in
  kept := g;
  h x + h (x + 1)
