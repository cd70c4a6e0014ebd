"""The figures of `./run bench cluster` as text."""

from __future__ import annotations

from benchmarks.cluster import GOAL, NODE_CORES, ReplayResult, Report, answer_s
from benchmarks.cluster_check import TOLERANCE, Check
from benchmarks.cluster_inputs import BATCH
from benchmarks.tables import table

HEAD = [
    "cores",
    "nodes",
    "core-ms an answer",
    "answers",
    "busy",
    "makespan, s",
    "driver, of a core",
    "driver, CPU-ms an answer",
    "batches",
    "answers judged twice",
    "MB sent",
    "MB returned",
]


def page(report: Report) -> str:
    """Return the inputs, the tables and the limit."""
    parts = [_inputs(report), _checked(report.checked), _table(report.cases)]
    if report.troubled:
        trouble = report.troubled[0].case.trouble
        parts += [
            f"With {trouble.losses_an_hour:g} losses an hour of each node, and {trouble.slow_share:.0%} of "
            f"the nodes {trouble.slow_factor:g} times as slow (a scenario; seed {trouble.seed}):",
            _table(report.troubled, losses=True),
        ]
    parts += [f"Search for the largest cluster that is {GOAL:.0%} busy:", _table(report.limit), limit(report)]
    machine = report.machine
    parts.append(
        f"Date: {report.date}. Machine: {machine.cpu}, {machine.cores} cores, Linux {machine.kernel}, "
        f"Python {machine.python}, load {machine.load} at the end."
    )
    return "\n\n".join(parts)


def _inputs(report: Report) -> str:
    inputs, costs = report.inputs, report.inputs.costs
    execution_s = answer_s(inputs, 1) - costs.worker_job_s
    rows = [
        ["execution", f"{1000 * execution_s:.2f} ms", f"mean of {len(inputs.execution_s)} answers"],
        ["longest execution", f"{1000 * max(inputs.execution_s):.0f} ms", "the same answers"],
        ["worker, apart from the execution", f"{1000 * costs.worker_job_s:.2f} ms", "an answer"],
        ["actor of a node", f"{1000 * costs.node_job_s:.2f} ms", "an answer"],
        ["empty batch, round trip", f"{1000 * costs.round_trip_s:.2f} ms", "a batch, median, real Ray"],
        ["empty batch, driver's process", f"{1000 * costs.driver_s:.2f} CPU-ms", "a batch, mean, real Ray"],
        ["bytes, driver's process", f"{1e9 * costs.driver_byte_s:.2f} CPU-ms", "1 MB of jobs, real Ray"],
        ["list of nodes", f"{1000 * costs.list_s:.2f} CPU-ms", "a list of 4 nodes, each 2 s, real Ray"],
        ["actor until ready", f"{costs.start_s:.1f} s", "median of three, after a loss"],
        ["loss of an actor until known", f"{1000 * costs.loss_s:.0f} ms", "median of three"],
        [f"batch of {BATCH} answers", f"{inputs.batch_bytes / 1e6:.2f} MB", "packed jobs"],
    ]
    return f"Inputs ({inputs.account}):\n\n" + table(["input", "measured", "of"], rows)


def _checked(checked: Check) -> str:
    rows = [
        [
            f"{each.jobs:,}",
            f"{each.nodes}",
            f"{each.slowdown:.2f}",
            f"{each.real_s:.2f}",
            f"{each.simulated_s:.2f}",
            f"{each.real_batches}",
            f"{each.simulated_batches}",
        ]
        for each in checked.rounds
    ]
    head = ["answers", "nodes of one core", "wall by CPU of executions", "real, s", "replayed, s"]
    head += ["real batches", "replayed batches"]
    return (
        f"The replay beside real Ray, each with the wall times of the real run:\n\n{table(head, rows)}\n\n"
        f"Median difference: {checked.time_error:+.1%} of the time, {checked.batch_error:+.1%} of the "
        f"batches; {'within' if checked.is_close else 'outside'} the tolerance of {TOLERANCE:.0%}."
    )


def _table(runs: list[ReplayResult], *, losses: bool = False) -> str:
    head = [*HEAD, "losses"] if losses else HEAD
    return table(head, [_row(run) + ([f"{run.counts.losses}"] if losses else []) for run in runs])


def _row(run: ReplayResult) -> list[str]:
    case, counts = run.case, run.counts
    return [
        f"{case.cores:,}",
        f"{len(case.nodes):,}",
        f"{1000 * run.answer_s:.2f}",
        f"{case.answers:,}",
        f"{run.busy:.1%}",
        f"{run.makespan_s:.1f}",
        f"{run.driver_share:.0%}",
        f"{1000 * run.driver_s / case.answers:.3f}",
        f"{counts.batches:,}",
        f"{run.twice:,}",
        f"{counts.bytes_out / 1e6:.1f}",
        f"{counts.bytes_back / 1e6:.1f}",
    ]


def limit(report: Report) -> str:
    """Return where `GOAL` ends, and why."""
    good = [run for run in report.limit if run.busy >= GOAL]
    bad = [run for run in report.limit if run.busy < GOAL]
    if not good or not bad:
        return f"The search found no limit from {min(run.case.cores for run in report.limit)} cores on."
    last, first = max(good, key=lambda run: run.case.cores), min(bad, key=lambda run: run.case.cores)
    driver_ms = 1000 * last.driver_s / last.case.answers
    ceiling = last.answer_s / (driver_ms / 1000)
    why = "the driver has no time left" if first.driver_share > GOAL else "cores wait at the ends of batches"
    return (
        f"{last.case.cores} cores are {last.busy:.0%} busy, {first.case.cores} are {first.busy:.0%} busy, "
        f"because {why}: it uses {first.driver_share:.0%} of its core. An answer costs the driver "
        f"{driver_ms:.3f} ms and a core {1000 * last.answer_s:.2f} ms, so no schedule can keep more than "
        f"{ceiling:.0f} cores busy with one driver; 1,000 cores at {GOAL:.0%} need "
        f"answers of at least {GOAL * driver_ms * 1000:.0f} ms. "
        f"Nodes have at most {NODE_CORES} cores."
    )
