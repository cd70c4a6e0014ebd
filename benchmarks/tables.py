"""Markdown that all results share: tables, and what a figure depends on."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from benchmarks.environment import Machine


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A Markdown table: the first column left, the others right."""
    marks = ["---", *(["---:"] * (len(head) - 1))]
    escaped = [[cell.replace("|", "\\|").replace("\n", " ") for cell in row] for row in rows]
    return "\n".join(f"| {' | '.join(row)} |" for row in [head, marks, *escaped])


def surroundings(machine: Machine, versions: Mapping[str, str]) -> str:
    """The machine and the versions of what ran on it."""
    named = ", ".join(f"{name} {version}" for name, version in versions.items())
    build = machine.build or "built without profile-guided optimization"
    return (
        f"Machine: {machine.cpu}, {machine.cores} cores, {machine.memory_gib} GiB, Linux {machine.kernel}, "
        f"Python {machine.python} ({build}), load {machine.load} at the start. Versions: {named}."
    )
