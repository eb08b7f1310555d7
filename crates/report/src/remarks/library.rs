//! Functions of the standard library whose cost surprises where they are called often, and what to use instead.

/// What is known of a function.
pub struct Costly {
    /// In instructions, roughly, for short arguments.
    pub cost: f64,
    /// Why it costs that.
    pub cause: &'static str,
    /// What to use instead.
    pub remedy: &'static str,
}

const APPEND: Costly = Costly {
    cost: 80.0,
    cause: "it copies its first list each time: in a loop that takes quadratic time",
    remedy: "put elements in front with `::`, and call `List.rev` once at the end (or `List.rev_append`)",
};
const CONCATENATION: Costly = Costly {
    cost: 80.0,
    cause: "it copies both strings each time: in a loop that takes quadratic time",
    remedy: "collect the parts in a `Buffer` (`Buffer.add_string`, once `Buffer.contents`), or use `String.concat` once",
};
const ARRAY_COPY: Costly = Costly {
    cost: 80.0,
    cause: "it copies the array each time",
    remedy: "allocate the array once, before the loop, and write into it",
};
const NTH: Costly = Costly {
    cost: 60.0,
    cause: "it walks the list from its beginning each time",
    remedy: "use an array (`Array.of_list` once before the loop), or walk the list itself",
};
const SEARCH: Costly = Costly {
    cost: 60.0,
    cause: "it walks the list, and compares by looking at what the elements are",
    remedy: "use a `Map.Make`, `Set.Make` or `Hashtbl.Make` of the key's type",
};
const FORMAT: Costly = Costly {
    cost: 400.0,
    cause: "the format is interpreted at run time, by closures that are allocated each time",
    remedy: "print by a function of `Printf`, with a constant format and all its arguments, or the parts themselves: \
             `print_string`, `string_of_int`, `Buffer.add_string`",
};
const HASHTBL: Costly = Costly {
    cost: 90.0,
    cause: "a generic table hashes and compares keys by looking at what they are, in C",
    remedy: "`module H = Hashtbl.Make (struct type t = key let equal = … let hash = … end)`, with functions of the \
             key's type",
};
const EXTREME: Costly = Costly {
    cost: 25.0,
    cause: "it compares by looking at what its arguments are, unless it is inlined where their type is known",
    remedy: "annotate the arguments (`(x : int)`), or use `Int.min`, `Float.max` or an `if`",
};
const SORT: Costly = Costly {
    cost: 30.0,
    cause: "each comparison is a call",
    remedy: "pass a small comparison of the elements' type that calls nothing (`Int.compare`, `fun a b -> Int.compare \
             a.key b.key`): then the sort is copied for it",
};
const HEAP_SORT: Costly = Costly {
    cost: 30.0,
    cause: "each comparison is a call, and a heap sort makes many",
    remedy: "use `Array.stable_sort` with a small comparison of the elements' type that calls nothing \
             (`Int.compare`): it is copied for it",
};

/// Whether a function, by the scope of a location in it, makes a structure of the standard library larger: it is called
/// for a small part of what is added, since the structure doubles.
pub fn grows(scope: &str) -> bool {
    matches!(
        scope,
        "Stdlib__Buffer.resize"
            | "Stdlib__Hashtbl.resize"
            | "Stdlib__Dynarray.ensure_capacity"
            | "Stdlib__Dynarray.ensure_extra_capacity"
    )
}

/// What is known of a function by its name (`Stdlib.List.nth`).
pub fn costly(name: &str) -> Option<&'static Costly> {
    let name = name.strip_prefix("Stdlib.")?;
    Some(match name {
        "@" | "List.append" => &APPEND,
        "^" | "String.cat" | "String.append" => &CONCATENATION,
        "Array.append" | "Array.concat" | "Array.sub" | "Array.copy" => &ARRAY_COPY,
        "List.nth" | "List.nth_opt" => &NTH,
        "List.assoc" | "List.assoc_opt" | "List.mem" | "List.mem_assoc" => &SEARCH,
        "Hashtbl.find" | "Hashtbl.find_opt" | "Hashtbl.add" | "Hashtbl.replace" | "Hashtbl.mem"
        | "Hashtbl.remove" | "Hashtbl.hash" | "Hashtbl.find_all" => &HASHTBL,
        "min" | "max" => &EXTREME,
        "List.sort" | "List.stable_sort" | "Array.stable_sort" | "Array.fast_sort" | "List.sort_uniq" => {
            &SORT
        }
        "Array.sort" => &HEAP_SORT,
        _ if name.starts_with("Printf.") || name.starts_with("Format.") => &FORMAT,
        _ => return None,
    })
}
