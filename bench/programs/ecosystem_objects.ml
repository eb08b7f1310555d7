(* A simulation of rabbits and foxes on a torus with classes, inheritance, virtual methods and visitors. *)

class random seed =
  object
    val mutable state = seed

    method int bound =
      state <- ((state * 25214903917) + 11) land 0xffff_ffff_ffff;
      state lsr 17 mod bound

    method chance percent =
      state <- ((state * 25214903917) + 11) land 0xffff_ffff_ffff;
      state lsr 17 mod 100 < percent
  end

class virtual animal (random : random) (size : int) x0 y0 =
  object (self)
    val mutable x : int = x0
    val mutable y : int = y0
    val mutable energy = 40
    val mutable age = 0

    method x = x
    method y = y
    method energy = energy
    method alive = energy > 0 && age < self#lifetime
    method die = energy <- 0
    method virtual name : string
    method virtual lifetime : int
    method virtual speed : int
    method virtual fertility : int
    method virtual child : int -> int -> animal
    method virtual accept : visitor -> unit

    method move =
      let wrap v = ((v mod size) + size) mod size in
      let step = self#speed in
      x <- wrap (x + random#int ((2 * step) + 1) - step);
      y <- wrap (y + random#int ((2 * step) + 1) - step);
      energy <- energy - step;
      age <- age + 1

    method feed amount = energy <- min 100 (energy + amount)

    method breed =
      if energy > 70 && random#chance self#fertility then begin
        energy <- energy / 2;
        Some (self#child x y)
      end
      else None
  end

and virtual visitor =
  object
    method virtual rabbit : animal -> unit
    method virtual fox : animal -> unit
  end

class rabbit random size x y =
  object (self)
    inherit animal random size x y as super
    method name = "rabbit"
    method lifetime = 60
    method speed = 1
    method fertility = 30
    method child x y = (new rabbit random size x y :> animal)
    method accept visitor = visitor#rabbit (self :> animal)

    method! move =
      super#move;
      if random#chance 65 then self#feed 6
  end

class fox random size x y =
  object (self)
    inherit animal random size x y
    method name = "fox"
    method lifetime = 120
    method speed = 3
    method fertility = 3
    method child x y = (new fox random size x y :> animal)
    method accept visitor = visitor#fox (self :> animal)
  end

(* Counts what it visits. *)
class census =
  object
    inherit visitor
    val mutable rabbits = 0
    val mutable foxes = 0
    val mutable total_energy = 0
    method rabbits = rabbits
    method foxes = foxes
    method total_energy = total_energy

    method rabbit a =
      rabbits <- rabbits + 1;
      total_energy <- total_energy + a#energy

    method fox a =
      foxes <- foxes + 1;
      total_energy <- total_energy + a#energy
  end

(* Notes where the rabbits are, for foxes to find them. *)
class map size =
  object (self)
    inherit visitor
    val cells : animal list array = Array.make (size * size) []
    method private index (a : animal) = (a#y * size) + a#x
    method clear = Array.fill cells 0 (size * size) []

    method rabbit a =
      let i = self#index a in
      cells.(i) <- a :: cells.(i)

    method fox _ = ()

    method hunt (f : animal) =
      let rec catch = function
        | [] -> ()
        | (prey : animal) :: rest ->
          if prey#alive && f#energy < 80 then begin
            prey#die;
            f#feed 45
          end
          else catch rest
      in
      catch cells.(self#index f)
  end

class hunter (map : map) =
  object
    inherit visitor
    method rabbit _ = ()
    method fox f = map#hunt f
  end

class world seed size =
  let random = new random seed in
  object (self)
    val map = new map size
    val mutable animals : animal list = []
    val mutable births = 0
    val limit = 6_000
    method births = births
    method add a = animals <- a :: animals

    method populate rabbits foxes =
      for _ = 1 to rabbits do
        self#add (new rabbit random size (random#int size) (random#int size) :> animal)
      done;
      for _ = 1 to foxes do
        self#add (new fox random size (random#int size) (random#int size) :> animal)
      done

    method visit : 'v. (#visitor as 'v) -> unit = fun v -> List.iter (fun a -> a#accept (v :> visitor)) animals

    method step =
      List.iter (fun a -> a#move) animals;
      map#clear;
      self#visit map;
      self#visit (new hunter map);
      let survivors = List.filter (fun a -> a#alive) animals in
      animals <- survivors;
      let room = ref (limit - List.length survivors) in
      List.iter
        (fun a ->
          if !room > 0 || a#name = "fox" then
            match a#breed with
            | None -> ()
            | Some child ->
              decr room;
              births <- births + 1;
              self#add child)
        survivors
  end

let () =
  let world = new world 12 90 in
  world#populate 2_500 120;
  let history = ref 0 in
  for day = 1 to 1_000 do
    world#step;
    if day mod 100 = 0 then begin
      let census = new census in
      world#visit census;
      history := ((!history * 31) + (census#rabbits * 7) + census#foxes + census#total_energy) land 0xffffff
    end
  done;
  let census = new census in
  world#visit census;
  Printf.printf "rabbits %d, foxes %d, births %d, history %d\n" census#rabbits census#foxes world#births !history
