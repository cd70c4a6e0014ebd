"""The settings of runs: what a reader needs to trust or reproduce the scores."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import msgspec

from benchwright import registry
from benchwright.display.escape import escaped_code
from benchwright.display.wording import counted, joined, self_check_text, short_spec, without_folders
from benchwright.errors import UsageError
from benchwright.report.runs import Run
from benchwright.sandbox.limits import Limits


class Fact(NamedTuple):
    """A setting with its value in each run; a single value if all runs agree."""

    name: str
    values: list[str]


def shared_and_differing(runs: Sequence[Run]) -> tuple[list[Fact], list[Fact]]:
    """The settings on which all runs agree, and those on which they differ."""
    columns = [dict(_facts(run)) for run in runs]
    names = dict.fromkeys(name for column in columns for name in column)
    facts = [Fact(name, [column.get(name, "") for column in columns]) for name in names]
    shared = [Fact(fact.name, fact.values[:1]) for fact in facts if len(set(fact.values)) == 1]
    return shared, [fact for fact in facts if len(set(fact.values)) > 1]


def track_title(name: str) -> str:
    """The title of the track; its name if it is not installed."""
    try:
        return str(registry.find("track", name).title)
    except UsageError:
        return name


def _part(part: object) -> str:
    count = part.get("count") if isinstance(part, dict) else None
    return f"{counted(count, 'task')}" if isinstance(count, int) else ""


def _facts(run: Run) -> list[tuple[str, str]]:
    """The settings that a run records."""
    if run.logged:
        return _facts_of_log(run)
    manifest, identity = run.folder.manifest, run.folder.manifest["identity"]
    facts = [
        ("track", escaped_code(run.contestant.track)),
        ("data set, SHA-256", escaped_code(run.contestant.data)),
        ("tasks left out", escaped_code(", ".join(map(str, identity.get("excluded") or [])))),
        ("part of the data set", _part(identity.get("tasks"))),
        ("scoring profile", escaped_code(run.contestant.profile)),
        ("model", escaped_code(short_spec(run.contestant.model))),
        *_model_parameters(identity.get("model")),
        ("answers per task", str(run.contestant.n)),
        ("agent", _agent(identity.get("agent"))),
        ("answers", _answers(run)),
        ("prompts", escaped_code(run.score.prompt_design)),
        ("self-check", self_check(run)),
        ("isolation", _isolation(run)),
        ("jail", escaped_code(manifest.get("jail", ""))),
        ("limits", _limits(identity.get("limits"))),
        ("judging rules", f"version {run.contestant.judging}"),
        ("Python of the answers", escaped_code(identity.get("python", ""))),
        ("Benchwright", escaped_code(manifest.get("version", ""))),
        ("host", _host(manifest.get("host"))),
        ("started", _time(manifest.get("started"))),
        ("finished", _time(manifest.get("finished"))),
    ]
    return [(name, value) for name, value in facts if value]


def _facts_of_log(run: Run) -> list[tuple[str, str]]:
    """The settings that a log of another tool records; it was judged by that tool."""
    facts = [
        ("task", escaped_code(run.contestant.track)),
        ("judged by", f"{escaped_code(run.contestant.tool)}, not Benchwright"),
        ("log", escaped_code(without_folders(run.contestant.path))),
        ("model", escaped_code(run.contestant.model)),
        ("answers per task", str(run.contestant.n)),
        ("answers", _answers(run)),
        ("tasks grouped by", escaped_code(run.contestant.grouping)),
        ("started", _time(run.folder.manifest.get("started"))),
    ]
    return [(name, value) for name, value in facts if value]


def self_check(run: Run) -> str:
    """The result of the self-check in words."""
    check = run.score.self_check
    return f"{'passed' if check.holds else 'FAILED'}: {self_check_text(check)}"


def _answers(run: Run) -> str:
    score = run.score
    parts = [
        counted(score.answers, "answer"),
        counted(score.missing, "missing", "missing") if score.missing else "",
        f"{score.identical:,} duplicates" if score.identical else "",
        f"{run.tally.truncated:,} truncated" if run.tally.truncated else "",
        f"{score.tokens_in:,} tokens read" if score.tokens_in else "",
        f"{score.tokens_out:,} tokens written" if score.tokens_out else "",
    ]
    return ", ".join(part for part in parts if part)


def _agent(agent: object) -> str:
    """The agent of the run; empty without one."""
    if not isinstance(agent, Mapping):
        return ""
    return ", ".join(f"{name} {_fact_text(value)}" for name, value in sorted(agent.items()))


def _model_parameters(model: object) -> list[tuple[str, str]]:
    """The model's parameters, one per line: temperature, seed, hash of stored answers."""
    if not isinstance(model, Mapping):
        return []
    return [
        (f"model: {escaped_code(name)}", _fact_text(value))
        for name, value in sorted(model.items())
        if name != "scheme"
    ]


def _limits(stored: object) -> str:
    """The limits of an answer, including defaults, which the record omits."""
    try:
        limits = msgspec.convert(stored or {}, Limits)
    except msgspec.ValidationError:  # of another version: shown unchanged
        return _fact_text(stored)
    memory = f"{limits.memory_mb} MiB of memory"
    return f"{limits.cpu_s:g} s of processor time, {limits.wall_guard_s:g} s of wall time, {memory}"


def _host(host: object) -> str:
    if not isinstance(host, Mapping):
        return ""
    parts = [host.get("system", ""), f"{host['cores']} cores" if host.get("cores") else ""]
    return escaped_code(", ".join(str(part) for part in parts if part))


def _isolation(run: Run) -> str:
    levels = run.tally.isolation
    if len(levels) == 1:
        return escaped_code(next(iter(levels)))
    return escaped_code(joined(f"{number:,} {name}" for name, number in sorted(levels.items())))


def _time(stamp: object) -> str:
    """The start time to the minute."""
    return escaped_code(f"{stamp[:10]} {stamp[11:16]} UTC") if isinstance(stamp, str) else ""


def _fact_text(value: Any) -> str:
    if isinstance(value, Mapping):
        return escaped_code(", ".join(f"{name} {_fact_text(item)}" for name, item in sorted(value.items())))
    if isinstance(value, str) and value.startswith("/"):
        return escaped_code(without_folders(value))
    return escaped_code(value)
