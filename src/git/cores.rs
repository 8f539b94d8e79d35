//! Work on all cores, with results in the order of the items.

use std::num::NonZero;
use std::sync::OnceLock;

/// The maximum number of threads; more would mostly wait for memory.
const MOST: usize = 16;

/// The number of threads to use.
pub(crate) fn count() -> usize {
    static FOUND: OnceLock<usize> = OnceLock::new();
    *FOUND.get_or_init(|| std::thread::available_parallelism().map_or(1, NonZero::get).min(MOST))
}

/// The results of `work` for all items, in their order. Each thread has its own state, which `begin` makes.
pub(crate) fn map<T: Send, S, R: Send>(
    items: Vec<T>,
    begin: impl Fn() -> S + Sync,
    work: impl Fn(&mut S, T) -> R + Sync,
) -> Vec<R> {
    let part = |items: Vec<T>| -> Vec<R> {
        let mut state = begin();
        items.into_iter().map(|item| work(&mut state, item)).collect()
    };
    let size = items.len().div_ceil(count());
    if size == items.len() {
        return part(items);
    }
    let mut parts = Vec::new();
    let mut rest = items;
    while rest.len() > size {
        let after = rest.split_off(size);
        parts.push(std::mem::replace(&mut rest, after));
    }
    std::thread::scope(|scope| {
        let part = &part;
        let threads: Vec<_> = parts.into_iter().map(|items| scope.spawn(move || part(items))).collect();
        // The calling thread does the last part.
        let last = part(rest);
        let mut all = Vec::new();
        for thread in threads {
            all.extend(thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
        }
        all.extend(last);
        all
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_come_in_the_order_of_the_items() {
        for length in [0, 1, 2, 3, 1000] {
            let items: Vec<usize> = (0..length).collect();
            let doubled = map(items.clone(), || 2, |by, item| item * *by);
            assert_eq!(doubled, items.iter().map(|item| item * 2).collect::<Vec<_>>());
        }
    }
}
