//! The thread that everything of OCaml runs in: its stack is large, since the OCaml front and back ends recurse
//! as deeply as the program that they compile.
//!
//! OCaml's runtime takes the stack it is started on for its main stack: `caml_startup` notes its top, and installs
//! the handler of stack overflows with an alternate stack for the thread that calls it. So a fault in the guard page
//! of this thread is reported as an overflow, and nothing else is.

use std::process::ExitCode;
use std::thread;

const MIB: usize = 1024 * 1024;

/// Sizes to try, in order. The pages are only reserved; those that are never touched cost nothing.
const STACK_SIZES: &[usize] = &[4096 * MIB, 1024 * MIB, 256 * MIB, 64 * MIB];

/// Runs `body` in a thread with as large a stack as the system gives.
pub fn run(body: fn() -> ExitCode) -> ExitCode {
    let thread = STACK_SIZES
        .iter()
        .find_map(|&size| thread::Builder::new().name("ocaml".into()).stack_size(size).spawn(body).ok());
    match thread {
        Some(thread) => thread.join().unwrap_or(ExitCode::FAILURE),
        None => body(),
    }
}
