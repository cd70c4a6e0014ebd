"""`benchwright ianvs run`, and the options for paths that it shares with `ianvs lint`."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, TypeVar

import click

from benchwright.cli.arguments import as_path, json_option, not_empty, print_json
from benchwright.cli.shell_completion import files
from benchwright.display.escape import escaped_name, escaped_path
from benchwright.errors import UsageError
from benchwright.interop.ianvs.case_results import EDGE, CaseResult
from benchwright.interop.ianvs.edge_costs import EdgeCase
from benchwright.interop.ianvs.job_run import JobOptions, JobReport, run_job
from benchwright.interop.ianvs.rank_files import cells, columns_of, selected_columns
from benchwright.progress import Silent, Watcher

Command = TypeVar("Command", bound=Callable[..., object])


def path_pairs(
    ctx: click.Context, param: click.Parameter, value: tuple[str, ...]
) -> tuple[tuple[str, str], ...]:
    """Parse values of the form A=B into pairs. Raises UsageError for others."""
    found = []
    for each in value:
        left, sign, right = each.partition("=")
        if not (left and sign and right):
            name = max(param.opts, key=len)
            raise UsageError(
                f"{name}: expected {param.metavar}, got {escaped_name(each)}", hint=f"{name} {param.metavar}"
            )
        found.append((left, right))
    return tuple(found)


_ROOT = click.option(
    "--root",
    callback=as_path,
    shell_complete=files,
    metavar="FOLDER",
    help="Base of relative paths in the files.  [default: the current folder]",
)
_PATH_MAP = click.option(
    "--path-map",
    multiple=True,
    callback=path_pairs,
    metavar="OLD=NEW",
    help="Replace the prefix OLD of paths in the files with NEW; repeatable.",
)


def path_options(command: Command) -> Command:
    """Add --root and --path-map to a command."""
    return _ROOT(_PATH_MAP(command))


_WIDEST = 40
_EDGE_HEAD = (
    *("case", "items", "median ms", "p95 ms", "max ms", "items/s", "rate"),
    *("predict CPU s", "setup CPU s", "metrics CPU s", "harness CPU s", "peak MB"),
)


@click.command()
@click.option(
    "--file",
    "-f",
    "file",
    required=True,
    callback=not_empty,
    shell_complete=files,
    metavar="JOB",
    help="Job: a benchmarkingjob.yaml.",
)
@path_options
@click.option(
    "--fields",
    multiple=True,
    callback=path_pairs,
    metavar="MINE=OURS",
    help="Map a field of the records to one of Ianvs, such as `prompt_text=query`; repeatable.",
)
@click.option(
    "--items",
    type=click.Choice(["all", "auto", "each"]),
    default="all",
    show_default=True,
    help="all: call predict once for all items, as Ianvs does. each: call it for each item, so that a killed "
    "job can resume. auto: each if the first items get the same predictions in one call, else all.",
)
@click.option(
    "--compat",
    type=click.Choice(["strict"]),
    help="strict: write rank files exactly as Ianvs does, including its omissions.",
)
@click.option(
    "--timeout",
    type=click.FloatRange(min=0, min_open=True),
    metavar="SECONDS",
    help="Timeout per case; other cases continue.  [default: none]",
)
@click.option("--edge", is_flag=True, help="Show latency, rate, CPU time and memory of each case.")
@click.option("--fresh", is_flag=True, help="Ignore results of earlier runs.")
@json_option
@click.option("--quiet", "-q", is_flag=True, help="Print no progress and no table.")
def run(file: str, quiet: bool, as_json: bool, edge: bool, **given: Any) -> None:
    """Run a benchmarking job of KubeEdge-Ianvs without Ianvs and Sedna.

    Supports single-task learning, joint inference and federated learning. Each test case runs in its own
    process. Repeat the command to resume a killed job at the interrupted case; with `--items each` or `auto`,
    at the interrupted item. The job's code is not sandboxed: run only code that you trust.

    Exit code 1 if a case failed or has no score to rank by.

    \b
    benchwright ianvs run -f examples/ianvs/issues/benchmarkingjob.yaml --root examples/ianvs/issues
    benchwright ianvs run -f job.yaml --path-map /home/someone/ianvs=. --fields question=query
    benchwright ianvs run -f job.yaml --compat strict --timeout 3600
    benchwright ianvs run -f job.yaml --edge
    """
    report = run_job(_options(file, **given), _watcher(quiet=quiet or as_json))
    if as_json:
        print_json(document(report))
    elif not quiet:
        _print(report, edge=edge)
    sys.exit(0 if report.complete else 1)


def _options(file: str, **given: Any) -> JobOptions:
    fields = {ours: mine for mine, ours in given["fields"]}
    return JobOptions(
        file=Path(file),
        root=given["root"] or Path(),
        path_map=given["path_map"],
        fields=fields,
        items=given["items"],
        strict=given["compat"] == "strict",
        timeout_s=given["timeout"],
        fresh=given["fresh"],
    )


def _watcher(*, quiet: bool) -> Watcher:
    """Return a progress bar on a terminal, else a silent watcher, which needs no library."""
    if quiet or not sys.stderr.isatty():
        return Silent()
    from benchwright.cli.terminal import TerminalWatcher, console  # noqa: PLC0415 (rich: 0.1 s)

    return TerminalWatcher(console())


def document(report: JobReport) -> dict[str, Any]:
    """Return the JSON document of a finished job with all keys."""
    ranks = {result.url: int(rank) for rank, result in report.standings.rows if rank}
    return {
        "job": report.job.name,
        "workspace": str(report.job.workspace),
        "results": [_result(each, ranks.get(each.url)) for each in report.results],
        "failures": [each._asdict() for each in report.failures],
        "known": report.known,
        "not_ranked": [
            {"algorithm": result.algorithm, "url": result.url, "why": reason}
            for result, reason in report.standings.unranked
        ],
        "not_comparable": report.other,
        "remarks": [each._asdict() for each in report.remarks],
        "files": [str(path) for path in report.files],
        "edge": report.edge.document(),
        "complete": report.complete,
    }


def _result(result: CaseResult, rank: int | None) -> dict[str, Any]:
    metrics = {
        name: {**each._asdict(), "trouble": each.trouble or None} for name, each in result.metrics.items()
    }
    fields = {name: value for name, value in result._asdict().items() if name != "figures"}  # see `edge`
    return {"rank": rank, **fields, "metrics": metrics}


def _print(report: JobReport, *, edge: bool) -> None:
    for line in _lines(report, edge=edge):
        click.echo(line, err=True)


def _lines(report: JobReport, *, edge: bool) -> Iterator[str]:
    for remark in report.remarks:
        yield f"note: {remark.place}: {remark.text}" + (f" (hint: {remark.hint})" if remark.hint else "")
    for remark_text in dict.fromkeys(text for each in report.results for text in each.remarks):
        yield f"note: {remark_text}"
    if report.job.rank.shown and report.standings.rows:
        yield from _table(report)
    if edge and report.edge.cases:
        yield from _edge(report)
    for result, name, trouble in _shown_troubles(report):
        problem = f"{name} is {result.metrics[name].cell or 'empty'}: {trouble}; excluded from ranking by it"
        yield f"{escaped_name(result.algorithm)}: {problem}"
    for failed in report.failures:
        yield from _failure(failed)
    yield from _last_lines(report)


def _shown_troubles(report: JobReport) -> Iterator[tuple[CaseResult, str, str]]:
    """Yield problems with metrics, without those of interval limits whose figure has one itself."""
    for result, name, trouble in report.troubles:
        base, _, part = name.rpartition("_")
        figure = result.metrics.get(base) if part in ("low", "high") else None
        if figure is None or not figure.trouble:
            yield result, name, trouble


def _failure(failed: Any) -> Iterator[str]:
    values = ", ".join(f"{name}={value}" for name, value in failed.hyperparameters.items())
    problem = f"case {failed.case} ({escaped_name(failed.algorithm)}{', ' + values if values else ''}) failed"
    yield f"{problem} at {failed.stage or 'its start'}: {failed.message}"
    for label, text in (("at", failed.place), ("hint", failed.hint), ("log", escaped_path(failed.log))):
        if text:
            yield f"  {label}: {text}"


def _last_lines(report: JobReport) -> Iterator[str]:
    cases = len(report.results) + len(report.failures)
    done = f"{len(report.results)} of {cases} case{'s' if cases != 1 else ''} completed"
    yield done + (f", {report.known} of them from an earlier run" if report.known else "")
    if report.other:
        reason = "from other data, metrics or versions are not ranked"
        yield f"{report.other} other results in the workspace {reason}"
    if report.results:
        yield "the job's code was not sandboxed (isolation: none)"
    if report.files:
        yield f"rank files: {', '.join(escaped_path(path) for path in report.files)}"
    if report.edge.cases:
        yield f"edge report: {escaped_path(report.job.workspace / EDGE)}"


def _table(report: JobReport) -> Iterator[str]:
    """Yield the selected columns without time and folder, aligned; partial scores are marked."""
    results = [result for _, result in report.standings.rows]
    metrics = [metric.name for metric in report.job.environment.metrics]
    columns = selected_columns(columns_of(results, metrics), report.job.rank)
    rows = [["rank", *columns.header[:-2]]]
    for rank, result in report.standings.rows:
        row = cells(result, columns)[:-2]
        for at, name in enumerate(columns.metrics, 1):
            measured = result.metrics.get(name)
            if measured is not None and measured.partial:
                row[at] = f"{row[at]} ({measured.scored} of {measured.total} scored)".lstrip()
        rows.append([rank or "-", *row])
    yield from _align_columns(rows)


def _edge(report: JobReport) -> Iterator[str]:
    """Yield a line for the costs of each case, and the machine that was measured."""
    yield from _align_columns([_EDGE_HEAD, *map(_edge_row, report.edge.cases)])
    device = report.edge.device
    machine = f"{escaped_name(device.cpu)} (cores: {device.cores}, memory: {device.memory_mb:,} MB)"
    yield f"on {machine}, Linux {escaped_name(device.kernel)}, load {device.load:g}"
    if any(case.latency is None for case in report.edge.cases):
        yield "no latencies because of a single call for all items; use `--items each`"
    if any(case.rate.value is None for case in report.edge.cases):
        yield "rate not measured for predictions that are not text and report no tokens"
    own = f"{report.edge.command_cpu_s:.3f} CPU s, {report.edge.command_peak_mb:.0f} MB"
    yield f"the command itself, without its cases: {own}"


def _edge_row(case: EdgeCase) -> list[str]:
    name = " ".join([case.algorithm, *(f"{key}={value}" for key, value in case.hyperparameters.items())])
    latency = case.latency or (None, None, None)
    rate = case.rate.unit if case.rate.value is None else f"{_figure(case.rate.value)} {case.rate.unit}"
    return [
        name,
        str(case.items),
        *(_figure(each and 1000 * each) for each in latency),
        _figure(case.items_per_s),
        rate,
        *(
            _cpu(each)
            for each in (case.model_cpu_s, case.setup_cpu_s, case.metrics_cpu_s, case.harness_cpu_s)
        ),
        f"{case.peak_mb:.0f}",
    ]


def _figure(value: float | None) -> str:
    if value is None:
        return "-"
    return f"{value:,.0f}" if value >= 1000 else f"{value:.3g}"


def _cpu(seconds: float | None) -> str:
    return "-" if seconds is None else f"{seconds:.3f}"


def _align_columns(rows: Sequence[Sequence[str]]) -> Iterator[str]:
    texts = [[escaped_name(cell, _WIDEST) for cell in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(*texts, strict=True)]
    for row in texts:
        yield "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
