//! A work queue: the same function on many items, on several threads.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use indicatif::{ProgressBar, ProgressStyle};

/// As many workers as processors, unless the user says otherwise.
#[must_use]
pub fn workers(asked: Option<usize>) -> usize {
    asked.or_else(|| thread::available_parallelism().ok().map(usize::from)).unwrap_or(1).max(1)
}

/// Applies `work` to every item and returns the results in the items' order.
pub fn map<T: Sync, R: Send>(
    workers: usize,
    title: &str,
    items: &[T],
    work: impl Fn(&T) -> R + Sync,
) -> Vec<R> {
    let bar = bar(title, items.len());
    let next = AtomicUsize::new(0);
    let results: Mutex<Vec<Option<R>>> = Mutex::new(items.iter().map(|_| None).collect());
    thread::scope(|scope| {
        for _ in 0..workers.min(items.len()) {
            scope.spawn(|| {
                while let Some((index, item)) = {
                    let index = next.fetch_add(1, Ordering::SeqCst);
                    items.get(index).map(|item| (index, item))
                } {
                    let result = work(item);
                    if let Ok(mut results) = results.lock() {
                        results[index] = Some(result);
                    }
                    bar.inc(1);
                }
            });
        }
    });
    bar.finish_and_clear();
    // A worker that panicked has made `scope` panic: every item has its result here.
    results.into_inner().map(|results| results.into_iter().flatten().collect()).unwrap_or_default()
}

/// A progress bar; invisible when nobody watches.
#[must_use]
pub fn bar(title: &str, length: usize) -> ProgressBar {
    let bar = ProgressBar::new(length as u64).with_message(title.to_owned());
    if let Ok(style) = ProgressStyle::with_template("{msg} {wide_bar} {pos}/{len} {eta}") {
        bar.set_style(style);
    }
    bar
}

#[cfg(test)]
mod tests {
    #[test]
    fn results_keep_the_order_of_the_items() {
        let items: Vec<usize> = (0..100).collect();
        let doubled = super::map(4, "", &items, |item| item * 2);
        assert_eq!(doubled, items.iter().map(|i| i * 2).collect::<Vec<_>>());
    }
}
