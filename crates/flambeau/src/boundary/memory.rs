//! How memory is managed while the compiler runs: OCaml's, and that of the middle end.

use std::env;
use std::ffi::{c_int, c_long, c_void};
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicUsize, Ordering};

/// Parameters of OCaml's memory management for a compiler, in the syntax of `OCAMLRUNPARAM`: what is promoted mostly
/// lives to the end, so that next-fit is as good as best-fit (policy 0) and compaction gains nothing. The heap begins
/// with as much as most units need; pages that are not used cost nothing. The minor heap is smaller than OCaml's
/// default, so that it stays in the cache: small units compile in 0.94 of the time that one of twice the size takes.
const PARAMETERS: &str = "a=0,o=150,O=1000000,h=8M,s=192k";
/// The size of that heap.
const HEAP: usize = 8 << 20 << 3;
/// Users say it in one of these.
const VARIABLES: [&str; 2] = ["OCAMLRUNPARAM", "CAMLRUNPARAM"];

/// The overhead, in hundredths, of [`PARAMETERS`]. Nothing else sets just this one (`ocaml/driver/memory.ml`).
const OVERHEAD: usize = 150;
/// The overhead by which the work of a slice is measured: nearly nothing is marked.
const OVERHEAD_OF_SLICES: usize = 1_000_000;

/// The allocator's option: after how many milliseconds memory that was freed goes back to the system, or never if it is
/// negative (`mi_option_purge_delay` of `mimalloc.h`).
const PURGE_DELAY: c_int = 15;

/// How much memory the process may have taken, in kB, before what the middle end frees goes back to the system.
const KEPT: c_long = 36 << 10;

/// The size of a huge page, on the machines whose pages are of 4 kB.
const HUGE_PAGE: usize = 2 << 20;

unsafe extern "C" {
    fn mi_option_set(option: c_int, value: c_long);
    fn mi_collect(force: bool);
    static caml_percent_free: AtomicUsize;
    static caml_major_slice_begin_hook: AtomicPtr<()>;
    static caml_major_slice_end_hook: AtomicPtr<()>;
}

/// Whether [`return_what_is_freed`] was called.
static RETURNS: AtomicBool = AtomicBool::new(false);

/// Keeps memory of the middle end that is freed, for what it takes next: no page is touched for the first time
/// twice.
pub(super) fn keep_what_is_freed() {
    set_purge_delay(-1);
}

/// Gives memory of the middle end back to the system as soon as it is freed, from now on: a unit of 50,000 lines takes
/// 0.84 of the memory for that, in the same time.
pub(super) fn return_what_is_freed() {
    RETURNS.store(true, Ordering::Relaxed);
    set_purge_delay(0);
}

/// Between the stages of the middle end: a small unit, too, may become a large one.
pub(crate) fn watch() {
    if RETURNS.load(Ordering::Relaxed) {
        return;
    }
    // SAFETY: plain numbers, of which zeros are valid.
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    // SAFETY: writes what it is passed, and nothing else.
    let is_known = unsafe { libc::getrusage(libc::RUSAGE_SELF, &raw mut usage) } == 0;
    if is_known && usage.ru_maxrss > KEPT {
        return_what_is_freed();
    }
}

/// Gives what the middle end took for a large unit back before the back end takes its own.
pub(super) fn leave_to_back_end() {
    if RETURNS.load(Ordering::Relaxed) {
        // SAFETY: what is free is given back to the system; nothing else changes.
        unsafe { mi_collect(true) };
    }
}

fn set_purge_delay(delay: c_long) {
    // SAFETY: a function of the allocator, which is that of this program and has the option in all of its versions.
    unsafe { mi_option_set(PURGE_DELAY, delay) }
}

/// Asks the system for huge pages for the rest of OCaml's heap, of which a block was just allocated. Next-fit takes
/// from the end of what is free. What is next to the block stays as it is: an empty unit needs no more, and would wait
/// for a huge page to be cleared.
pub(super) fn use_huge_pages(block: usize) {
    let end = block.saturating_sub(HUGE_PAGE / 2) & !(HUGE_PAGE - 1);
    let start = block.saturating_sub(HEAP).next_multiple_of(HUGE_PAGE);
    if start < end {
        // SAFETY: advice changes nothing that a program can see, whatever is mapped there.
        unsafe { libc::madvise(start as *mut c_void, end - start, libc::MADV_HUGEPAGE) };
    }
}

/// Starts the runtime with [`PARAMETERS`] and [hooks](set_hooks), unless the user says otherwise. To change the policy
/// later would collect and compact the heap.
pub(super) fn with_parameters(start: impl FnOnce()) {
    if VARIABLES.iter().any(|name| env::var_os(name).is_some()) {
        return start();
    }
    set_hooks();
    let name = VARIABLES[0];
    // SAFETY: the only other thread waits for this one.
    unsafe { env::set_var(name, PARAMETERS) };
    start();
    // The programs that the compiler runs are to know nothing of it.
    // SAFETY: as above.
    unsafe { env::remove_var(name) };
}

/// Lets slices of the major collection see a larger overhead, until `ocaml/driver/memory.ml` sets one because the heap
/// may be garbage. What they see can't be the overhead as such: where a block does not fit, OCaml 4 asks the system for
/// that many hundredths of its size besides.
fn set_hooks() {
    // SAFETY: variables of the runtime, of the size of a word in all versions. They are functions without arguments or
    // null, and called by the thread that runs OCaml code, which is one.
    let (begin, end) = unsafe { (&caml_major_slice_begin_hook, &caml_major_slice_end_hook) };
    begin.store(begin_slice as extern "C" fn() as *mut (), Ordering::Relaxed);
    end.store(end_slice as extern "C" fn() as *mut (), Ordering::Relaxed);
}

extern "C" fn begin_slice() {
    replace_overhead(OVERHEAD, OVERHEAD_OF_SLICES);
}

extern "C" fn end_slice() {
    replace_overhead(OVERHEAD_OF_SLICES, OVERHEAD);
}

fn replace_overhead(from: usize, to: usize) {
    // SAFETY: a variable of the runtime, a word in all versions, atomic in those in which several threads change it.
    let overhead = unsafe { &caml_percent_free };
    // That it is another one means that slices are to see that one.
    let _ = overhead.compare_exchange(from, to, Ordering::Relaxed, Ordering::Relaxed);
}
