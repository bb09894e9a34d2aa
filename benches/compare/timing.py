"""Measures alternating calls, and prints tables of their times."""

import statistics
import time


class Missing(Exception):
    """Something that a table needs is missing."""


def wheel():
    try:
        import raytwin
    except ImportError as error:
        raise Missing("the wheel is needed: pip install ./python") from error
    return raytwin


def open3d():
    try:
        import open3d
    except (ImportError, OSError) as error:
        raise Missing(f"open3d is needed: {error}") from error
    return open3d


def seconds(call, repeats=3, clock=time.perf_counter):
    """Returns the median time of a call, after one that warms up."""
    times = []
    for _ in range(repeats + 1):
        start = clock()
        call()
        times.append(clock() - start)
    return statistics.median(times[1:])


def medians(pairs):
    """Returns the medians of their times, of ours, and of the ratio of theirs to ours, given pairs of the two."""
    theirs, ours = zip(*pairs)
    ratios = [their / our for their, our in pairs]
    return statistics.median(theirs), statistics.median(ours), statistics.median(ratios)


def in_turns(rounds, theirs, *ours):
    """Alternates calls that return their own times. Returns the medians of theirs, of each of ours, and of their ratio."""
    calls = [theirs, *ours]
    times = []
    for turn in range(rounds):
        order = range(len(calls)) if turn % 2 == 0 else reversed(range(len(calls)))
        taken = {index: calls[index]() for index in order}
        times.append([taken[index] for index in range(len(calls))])
    return [medians([(row[0], row[index]) for row in times]) for index in range(1, len(calls))]


def table(title, header, rows):
    print(f"\n## {title}\n\n| {' | '.join(header)} |\n|{' --- |' * len(header)}")
    for row in rows:
        print(f"| {' | '.join(row)} |", flush=True)


def row(name, results, cell):
    """Returns the cells of a row: their time, and each of ours with its ratio, from the results of `in_turns`."""
    cells = [name, cell(results[0][0])]
    for _, our, ratio in results:
        cells += [cell(our), f"{ratio:.2f}"]
    return cells


def rates(name, count, results):
    """Returns the same cells in million rays per second."""
    return row(name, results, lambda time: f"{count / time / 1e6:.2f}")
