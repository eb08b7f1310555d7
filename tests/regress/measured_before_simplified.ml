(* A function is measured for an argument of a known type, before it is simplified: what its variables were when it
   was measured was taken for what they are (-O3 -flambeau-policy benefit; found by Debian's ocaml-mm). *)

type event = Down of char | Up of char | Other

class keyboard (events : event list ref) =
  let index a x =
    let found = ref None in
    for i = 0 to Array.length a - 1 do
      if compare x a.(i) = 0 then found := Some i
    done;
    match !found with Some i -> i | None -> raise Not_found
  in
  let first = [| 'q'; 'w'; 's'; 'x'; 'd'; 'c'; 'v'; 'g'; 'b'; 'h'; 'n'; 'j' |] in
  let second = [| '&'; 'a'; 'z'; '"'; 'e'; 'r'; '('; 't'; '-'; 'y'; 'u'; 'i' |] in
  let note c = try index second c + 71 with Not_found -> index first c + 59 in
  let words = Array.map (String.make 1) first in
  object
    method word s = try index words s with Not_found -> -1
    method read out =
      while !events <> [] do
        try
          match List.hd !events with
          | Down c ->
            events := List.tl !events;
            let n = note c in
            out := ('+', n) :: !out
          | Up c ->
            events := List.tl !events;
            let n = note c in
            out := ('-', n) :: !out
          | Other -> events := List.tl !events
        with Not_found -> out := ('?', 0) :: !out
      done
  end

let () =
  let out = ref [] in
  Printf.printf "%d %d\n" ((new keyboard (ref []))#word "w") ((new keyboard (ref []))#word (String.make 1 'j'));
  (new keyboard (ref [ Down 'q'; Up 'a'; Other; Down 'z'; Up '1' ]))#read out;
  List.iter (fun (c, n) -> Printf.printf "%c%d\n" c n) !out
