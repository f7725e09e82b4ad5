use std::collections::HashSet;

/// The old indices of the pairs that changed their place among the others: as few as possible.
pub(super) fn reordered(pairs: &[(usize, usize)]) -> HashSet<usize> {
    // Patience: the last pair of the best increasing row of each length, with back links.
    let mut tails: Vec<usize> = Vec::new();
    let mut previous: Vec<Option<usize>> = Vec::with_capacity(pairs.len());
    let target = |position: usize| pairs.get(position).map_or(0, |pair| pair.1);
    for (position, pair) in pairs.iter().enumerate() {
        let row = tails.partition_point(|&tail| target(tail) < pair.1);
        previous.push(row.checked_sub(1).and_then(|shorter| tails.get(shorter)).copied());
        match tails.get_mut(row) {
            Some(tail) => *tail = position,
            None => tails.push(position),
        }
    }
    let mut moved: HashSet<usize> = pairs.iter().map(|pair| pair.0).collect();
    let mut at = tails.last().copied();
    while let Some(position) = at {
        if let Some(pair) = pairs.get(position) {
            moved.remove(&pair.0);
        }
        at = previous.get(position).copied().flatten();
    }
    moved
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_few_as_possible_have_moved() {
        for (order, expected) in [
            (vec![0, 1, 2], vec![]),
            (vec![1, 2, 0], vec![2]),
            (vec![2, 0, 1], vec![0]),
            (vec![3, 0, 1, 2], vec![0]),
            (vec![], vec![]),
        ] {
            let pairs: Vec<(usize, usize)> = order.iter().copied().enumerate().collect();
            let mut moved: Vec<usize> = reordered(&pairs).into_iter().collect();
            moved.sort_unstable();
            assert_eq!(moved, expected, "{order:?}");
        }
    }
}
