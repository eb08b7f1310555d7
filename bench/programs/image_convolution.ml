(* Image filters over flat arrays: blur, edges, dilation, histogram equalisation, flood fill. *)

type image = { width : int; height : int; pixels : int array }

let create width height = { width; height; pixels = Array.make (width * height) 0 }

let init width height f =
  let image = create width height in
  for y = 0 to height - 1 do
    for x = 0 to width - 1 do
      image.pixels.((y * width) + x) <- f x y
    done
  done;
  image

let clamp v = if v < 0 then 0 else if v > 255 then 255 else v

(* Reads outside the image take the nearest pixel of the edge. *)
let get image x y =
  let x = if x < 0 then 0 else if x >= image.width then image.width - 1 else x in
  let y = if y < 0 then 0 else if y >= image.height then image.height - 1 else y in
  image.pixels.((y * image.width) + x)

type kernel = { size : int; weights : int array; divisor : int }

let gaussian =
  { size = 5; divisor = 256;
    weights = [| 1; 4; 6; 4; 1; 4; 16; 24; 16; 4; 6; 24; 36; 24; 6; 4; 16; 24; 16; 4; 1; 4; 6; 4; 1 |] }

let sharpen = { size = 3; divisor = 1; weights = [| 0; -1; 0; -1; 5; -1; 0; -1; 0 |] }

let convolve kernel image =
  let radius = kernel.size / 2 in
  let out = create image.width image.height in
  for y = 0 to image.height - 1 do
    for x = 0 to image.width - 1 do
      let sum = ref 0 in
      for ky = 0 to kernel.size - 1 do
        for kx = 0 to kernel.size - 1 do
          let weight = kernel.weights.((ky * kernel.size) + kx) in
          sum := !sum + (weight * get image (x + kx - radius) (y + ky - radius))
        done
      done;
      out.pixels.((y * image.width) + x) <- clamp (!sum / kernel.divisor)
    done
  done;
  out

let sobel image =
  init image.width image.height (fun x y ->
      let p dx dy = get image (x + dx) (y + dy) in
      let gx = p 1 (-1) + (2 * p 1 0) + p 1 1 - p (-1) (-1) - (2 * p (-1) 0) - p (-1) 1 in
      let gy = p (-1) 1 + (2 * p 0 1) + p 1 1 - p (-1) (-1) - (2 * p 0 (-1)) - p 1 (-1) in
      clamp ((abs gx + abs gy) / 4))

let dilate radius image =
  init image.width image.height (fun x y ->
      let best = ref 0 in
      for dy = -radius to radius do
        for dx = -radius to radius do
          let v = get image (x + dx) (y + dy) in
          if v > !best then best := v
        done
      done;
      !best)

let equalise image =
  let histogram = Array.make 256 0 in
  Array.iter (fun v -> histogram.(v) <- histogram.(v) + 1) image.pixels;
  let total = Array.length image.pixels in
  let running = ref 0 in
  let table =
    Array.map
      (fun n ->
        running := !running + n;
        !running * 255 / total)
      histogram
  in
  { image with pixels = Array.map (fun v -> table.(v)) image.pixels }

(* Number of connected areas at or above [level], and the size of the largest. *)
let areas level image =
  let n = Array.length image.pixels in
  let seen = Array.make n false in
  let stack = Array.make n 0 in
  let count = ref 0 and largest = ref 0 in
  for start = 0 to n - 1 do
    if image.pixels.(start) >= level && not seen.(start) then begin
      incr count;
      seen.(start) <- true;
      stack.(0) <- start;
      let top = ref 1 and size = ref 0 in
      let visit i =
        if image.pixels.(i) >= level && not seen.(i) then begin
          seen.(i) <- true;
          stack.(!top) <- i;
          incr top
        end
      in
      while !top > 0 do
        decr top;
        incr size;
        let i = stack.(!top) in
        let x = i mod image.width in
        if x > 0 then visit (i - 1);
        if x < image.width - 1 then visit (i + 1);
        if i >= image.width then visit (i - image.width);
        if i < n - image.width then visit (i + image.width)
      done;
      if !size > !largest then largest := !size
    end
  done;
  (!count, !largest)

let checksum image = Array.fold_left (fun h v -> ((h * 31) + v) land 0xffffffff) 7 image.pixels

let () =
  let picture =
    init 1500 1120 (fun x y ->
        let rings = (((x - 750) * (x - 750)) + ((y - 560) * (y - 560))) / 400 land 127 in
        rings + (((x * 7919) + (y * 104729) + (x * y * 31)) lsr 3 land 63))
  in
  let blurred = convolve gaussian (convolve gaussian picture) in
  let sharp = convolve sharpen blurred in
  let edges = sobel sharp in
  let grown = dilate 2 edges in
  let final = equalise grown in
  let count, largest = areas 140 final in
  Printf.printf "blurred %d, sharp %d, edges %d, grown %d\n" (checksum blurred) (checksum sharp)
    (checksum edges) (checksum grown);
  Printf.printf "final %d, areas %d, largest %d\n" (checksum final) count largest
