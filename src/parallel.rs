//! Work on all cores.
//!
//! The compiler generates about 8000 lines of LLVM for each pipeline of rayon adapters. The
//! function here that halves the work is compiled once, and calls a task for each part; `extend` is
//! compiled once for each type. The CPU tracer's own loops use rayon, because it is measurably
//! faster for coherent rays.

use rayon::prelude::*;
use std::ops::Range;
use std::sync::{Mutex, PoisonError};

/// The number of rays that one task makes or judges: with fewer, threads cost more than they save.
pub const RAYS_A_TASK: usize = 256;

/// The number of device answers, or of tree leaves, that one task converts.
pub(crate) const ITEMS_A_TASK: usize = 1 << 12;

/// Each thread gets several parts, so that none waits for another for long.
const PARTS_A_THREAD: usize = 8;

/// Returns `count` equal values. All threads write them, because the system maps memory at the
/// first write, which is slow.
pub(crate) fn filled<T: Send>(count: usize, value: impl Fn() -> T + Sync + Send) -> Vec<T> {
    (0..count).into_par_iter().with_min_len(ITEMS_A_TASK).map(|_| value()).collect()
}

/// Appends the images of the numbers from 0 to `count`. Each is written once, into its place. The
/// call through a pointer for each costs little compared with an answer.
pub(crate) fn extend<T: Send>(
    items: &mut Vec<T>,
    count: usize,
    image: &(dyn Fn(usize) -> T + Sync),
) {
    extend_by(items, count, ITEMS_A_TASK, image);
}

/// Does the same with parts of at least `least` numbers.
fn extend_by<T: Send>(
    items: &mut Vec<T>,
    count: usize,
    least: usize,
    image: &(dyn Fn(usize) -> T + Sync),
) {
    items.par_extend((0..count).into_par_iter().with_min_len(least.max(1)).map(image));
}

/// Returns the images of the numbers from 0 to `count`, in order. A part has at least `least` of
/// them, so that a task is worth a thread.
pub fn mapped<T: Send>(count: usize, least: usize, image: impl Fn(usize) -> T + Sync) -> Vec<T> {
    if count <= least.max(1) {
        return (0..count).map(image).collect();
    }
    let mut images = Vec::new();
    extend_by(&mut images, count, least, &image);
    images
}

/// Returns the results of a task for each part of the numbers from 0 to `count`, in order. A part
/// has at least `least` of them.
pub(crate) fn gathered<T: Send>(
    count: usize,
    least: usize,
    find: impl Fn(Range<usize>) -> Vec<T> + Sync,
) -> Vec<T> {
    let length = part_length(count, least);
    if count <= length {
        return find(0..count);
    }
    let mut parts: Vec<Vec<T>> = Vec::new();
    parts.resize_with(count.div_ceil(length), Vec::new);
    for_each_part(&mut parts, 1, |part, found| {
        let first = part * length;
        found[0] = find(first..count.min(first + length));
    });
    let mut all = Vec::with_capacity(parts.iter().map(Vec::len).sum());
    parts.into_iter().for_each(|part| all.extend(part));
    all
}

/// Returns how many of `count` items a part has.
pub(crate) fn part_length(count: usize, least: usize) -> usize {
    count.div_ceil(PARTS_A_THREAD * rayon::current_num_threads()).max(least).max(1)
}

/// Calls a task with each part of a slice, and the index of the part's first item. A part has
/// `length` items; the last one may have fewer.
pub(crate) fn for_each_part<T: Send>(
    items: &mut [T],
    length: usize,
    task: impl Fn(usize, &mut [T]) + Sync,
) {
    if items.is_empty() {
        return;
    }
    if items.len() <= length {
        return task(0, items);
    }
    // Each lock is taken once, so no thread ever waits.
    let parts: Vec<Mutex<&mut [T]>> = items.chunks_mut(length).map(Mutex::new).collect();
    for_each(0..parts.len(), &|part| {
        let mut items = parts[part].lock().unwrap_or_else(PoisonError::into_inner);
        task(part * length, &mut items);
    });
}

/// Calls a task with each of some numbers.
pub(crate) fn for_each(indices: Range<usize>, task: &(dyn Fn(usize) + Sync)) {
    if indices.len() <= 1 {
        return indices.for_each(task);
    }
    let middle = indices.start + indices.len() / 2;
    let [first, second] = [indices.start..middle, middle..indices.end];
    rayon::join(|| for_each(first, task), || for_each(second, task));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn images_come_in_the_order_of_their_numbers_and_each_item_once() {
        for count in [0, 1, 2, 999, 100_000] {
            assert_eq!(
                mapped(count, 7, |number| 3 * number),
                (0..count).map(|n| 3 * n).collect::<Vec<_>>()
            );
            for length in [1, 7, 1000, 200_000] {
                let mut items = vec![0; count];
                for_each_part(&mut items, length, |first, part| {
                    (first..).zip(part).for_each(|(index, item)| *item += index + 1);
                });
                assert_eq!(items, (1..=count).collect::<Vec<_>>(), "{count} {length}");
            }
        }
    }
}
