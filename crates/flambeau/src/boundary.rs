//! The boundary with OCaml: the only module with unsafe code. It starts the OCaml side, and answers what
//! `ocaml/boundary/rust.ml` asks.
//!
//! OCaml's C interface is declared by hand. No OCaml value lives across a call that may allocate, so that nothing
//! needs to be registered with its garbage collector.

#![allow(unsafe_code)]

mod memory;

pub(crate) use memory::watch;

use std::cell::{Cell, RefCell};
use std::env;
use std::ffi::{CString, c_char, c_int};
use std::os::unix::ffi::OsStringExt;
use std::process::ExitCode;

use crate::library::Library;
use crate::{describe, pipeline};

/// An OCaml value.
type Value = isize;

unsafe extern "C" {
    fn caml_startup(argv: *const *const c_char);
    fn caml_named_value(name: *const c_char) -> *const Value;
    fn caml_callback_exn(closure: Value, argument: Value) -> Value;
    fn caml_alloc_initialized_string(length: usize, contents: *const c_char) -> Value;
    fn caml_string_length(string: Value) -> usize;
}

/// `()`.
const UNIT: Value = 1;

/// Whether a callback ended with an exception.
fn is_exception(result: Value) -> bool {
    result & 3 == 2
}

/// Runs the OCaml driver on the arguments of the process. It ends the process itself; coming back is an error.
pub fn run_ocaml_driver() -> ExitCode {
    let arguments: Vec<CString> =
        env::args_os().filter_map(|argument| CString::new(argument.into_vec()).ok()).collect();
    let mut argv: Vec<*const c_char> = arguments.iter().map(|argument| argument.as_ptr()).collect();
    argv.push(std::ptr::null());
    memory::keep_what_is_freed();
    memory::with_parameters(|| {
        // SAFETY: `argv` is a null-terminated array of C strings; OCaml copies what it keeps.
        unsafe { caml_startup(argv.as_ptr()) };
    });
    // SAFETY: the runtime was started; the name is a C string.
    let driver = unsafe { caml_named_value(c"flambeau_main".as_ptr()) };
    if driver.is_null() {
        eprintln!("flambeau: the OCaml side was not initialised");
        return ExitCode::from(2);
    }
    // SAFETY: the named value is a closure of one argument, and a root.
    let result = unsafe { caml_callback_exn(*driver, UNIT) };
    if is_exception(result) {
        eprintln!("flambeau: uncaught exception in the OCaml side");
    }
    ExitCode::from(2)
}

/// Rust ignores broken pipes. OCaml and the programs that it runs expect to be ended by them, and so do users who pipe
/// the output of a command into `head`.
pub fn restore_default_signals() {
    // SAFETY: `signal` with a default action.
    unsafe { libc::signal(libc::SIGPIPE, libc::SIG_DFL) };
}

/// The bytes of an OCaml string.
///
/// # Safety
/// `string` is an OCaml string, and OCaml's heap is left alone as long as the result lives.
unsafe fn bytes_of_string<'a>(string: Value) -> &'a [u8] {
    // SAFETY: an OCaml string is a pointer to its bytes.
    unsafe { std::slice::from_raw_parts(string as *const u8, caml_string_length(string)) }
}

fn string_of_bytes(bytes: &[u8]) -> Value {
    // SAFETY: the pointer and the length are those of a slice, which OCaml copies.
    unsafe { caml_alloc_initialized_string(bytes.len(), bytes.as_ptr().cast()) }
}

/// `Rust.middle_end`
#[unsafe(no_mangle)]
extern "C" fn flambeau_middle_end(request: Value) -> Value {
    // The pipeline calls back, and then the string may be moved.
    // SAFETY: OCaml's type system says that it is a string; copying it does not touch OCaml's heap.
    let request = unsafe { bytes_of_string(request) }.to_vec();
    let bytes = pipeline::reply(&request, find_unit);
    drop(request);
    let reply = string_of_bytes(&bytes);
    drop(bytes);
    memory::leave_to_back_end();
    reply
}

/// The result of the function that was registered with `Rust.register_find_unit`, for a name of the linker; empty if
/// none was registered.
fn find_unit(name: &str) -> Vec<u8> {
    // SAFETY: the pipeline runs in the OCaml thread, called from OCaml; the name is a C string.
    let find = unsafe { caml_named_value(c"flambeau_find_unit".as_ptr()) };
    if find.is_null() {
        return Vec::new();
    }
    let name = string_of_bytes(name.as_bytes());
    // SAFETY: the named value is a closure of one argument, and a root, read after the last allocation.
    let unit = unsafe { caml_callback_exn(*find, name) };
    if is_exception(unit) {
        return Vec::new();
    }
    // SAFETY: the closure gives a string, which is copied at once.
    unsafe { bytes_of_string(unit) }.to_vec()
}

/// `Rust.version`
#[unsafe(no_mangle)]
extern "C" fn flambeau_version(_unit: Value) -> Value {
    string_of_bytes(env!("CARGO_PKG_VERSION").as_bytes())
}

/// `Rust.library_units`
#[unsafe(no_mangle)]
extern "C" fn flambeau_library_units(_unit: Value) -> Value {
    let library = Library::of_this_executable().ok().flatten();
    let units: Vec<&str> = library.iter().flat_map(Library::units).collect();
    string_of_bytes(units.join(" ").as_bytes())
}

/// `Rust.describe_payload`
#[unsafe(no_mangle)]
extern "C" fn flambeau_describe_payload(payload: Value) -> Value {
    // SAFETY: OCaml's type system says that it is a string; describing it does not touch OCaml's heap.
    let description = describe::describe_payload(unsafe { bytes_of_string(payload) });
    string_of_bytes(description.as_bytes())
}

/// `Rust.library_description`: a byte says what the rest is.
#[unsafe(no_mangle)]
extern "C" fn flambeau_library_description(unit: Value) -> Value {
    // SAFETY: OCaml's type system says that it is a string; copying it does not touch OCaml's heap.
    let unit = String::from_utf8_lossy(unsafe { bytes_of_string(unit) }).into_owned();
    let (kind, rest) = match library_description(&unit) {
        Ok(None) => (b'n', Vec::new()),
        Ok(Some(description)) => (b'd', description),
        Err(error) => (b'e', format!("{error:#}").into_bytes()),
    };
    tagged(kind, &rest)
}

/// A string whose first byte says what the rest is.
fn tagged(kind: u8, rest: &[u8]) -> Value {
    string_of_bytes(&[&[kind], rest].concat())
}

/// The description of a unit in the library of this executable.
fn library_description(unit: &str) -> anyhow::Result<Option<Vec<u8>>> {
    thread_local! {
        static LIBRARY: RefCell<Option<Library>> = const { RefCell::new(None) };
        static IS_OPEN: Cell<bool> = const { Cell::new(false) };
    }
    LIBRARY.with_borrow_mut(|library| {
        if !IS_OPEN.replace(true) {
            *library = Library::of_this_executable()?;
        }
        library.as_mut().map_or(Ok(None), |library| library.description(unit))
    })
}

/// `Rust.assemble`: a byte says what the rest is.
#[unsafe(no_mangle)]
extern "C" fn flambeau_assemble(program: Value) -> Value {
    // SAFETY: OCaml's type system says that it is a string; assembling it does not touch OCaml's heap.
    match pipeline::assemble(unsafe { bytes_of_string(program) }) {
        Ok(object) => tagged(b'o', &object),
        Err(reason) => tagged(b'e', reason.as_bytes()),
    }
}

/// `Rust.process_id`
#[unsafe(no_mangle)]
extern "C" fn flambeau_process_id(_unit: Value) -> Value {
    let id: c_int = std::process::id() as c_int;
    (id as Value) << 1 | 1
}

/// `Rust.use_huge_pages`
#[unsafe(no_mangle)]
extern "C" fn flambeau_use_huge_pages(block: Value) -> Value {
    memory::use_huge_pages(block as usize);
    UNIT
}

/// `Rust.unit_is_large`
#[unsafe(no_mangle)]
extern "C" fn flambeau_unit_is_large(_unit: Value) -> Value {
    memory::return_what_is_freed();
    UNIT
}
