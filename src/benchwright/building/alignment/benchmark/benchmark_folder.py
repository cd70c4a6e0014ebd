"""The folder of mined benchmark rows: data, drops, a card and a manifest with hashes and a canary.

Rows are sorted by id, and equal rows give equal bytes. The folder is written under a temporary name and
renamed, so an interrupted export leaves none.
"""

from __future__ import annotations

import json
import shutil
import uuid
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from benchwright import registry
from benchwright.building.alignment.benchmark.material import MinedRow
from benchwright.building.alignment.benchmark.refine_tests import ADDED, RefineTestFinder
from benchwright.building.alignment.records import RUNGS
from benchwright.building.engine.recipe import CARD, MANIFEST, digests, tally
from benchwright.display.escape import escaped_path, quoted
from benchwright.display.wording import counted
from benchwright.errors import DataError, UsageError
from benchwright.records import Drop, Record
from benchwright.store.keys import content_key
from benchwright.version import VERSION

KIND = "benchmark rows"
DATA, RECORDS, DROPPED = "data/test.jsonl", "records/test.jsonl", "dropped.jsonl"
_SPACE = uuid.UUID("5a0f6d8e-21c4-5e0e-9b57-3f2f6f0c9d11")  # of canaries of these data sets


class ExcludedRepositories(NamedTuple):
    """Repositories that may not occur in the rows, and the folder that has them."""

    place: str
    repos: frozenset[str]


class BenchmarkExport(Record, frozen=True, kw_only=True):
    """Summary of written benchmark rows."""

    out: str
    track: str
    rows: int
    repos: dict[str, int]
    licences: dict[str, int]  # "unknown" for rows without one
    dropped: dict[str, int]  # by reason
    tests: dict[str, int] | None = None  # rows with tests, and without by reason; None: not measured
    canary: str
    sha256: dict[str, str]


class BenchmarkFacts(NamedTuple):
    """The origin of benchmark rows for card and manifest."""

    track: str
    release: Mapping[str, str]  # name, version and hash of its manifest
    rungs: Sequence[int] = ()


def write_benchmark(
    found: Iterable[MinedRow | Drop],
    out: Path,
    facts: BenchmarkFacts,
    *,
    excluded: Sequence[ExcludedRepositories] = (),
    finder: RefineTestFinder | None = None,
) -> BenchmarkExport:
    """Write the rows to a new folder, with the tests that `finder` adds.

    Raises DataError without a row, and for an excluded repository.
    """
    if out.exists():
        raise UsageError(f"{escaped_path(out)} exists", hint="choose a new folder, or delete this one")
    rows, drops = _each_once(found)
    if not rows:
        reasons = ", ".join(
            f"{number:,} {reason}" for reason, number in tally(d.reason for d in drops).items()
        )
        hint = "use a release with more repositories in its test split"
        hint += ", or weaker rungs (--rung)" if facts.rungs else ""
        raise DataError(f"no row for {facts.track}; dropped: {reasons or 'none'}", hint=hint)
    require_disjoint(rows, excluded)
    rows = rows if finder is None else finder.rows(rows)
    canary = f"benchwright:canary:{uuid.uuid5(_SPACE, content_key(facts.track, [each.row for each in rows]))}"
    files = _files(rows, drops, facts.track, canary)
    summary = BenchmarkExport(
        out=str(out),
        track=facts.track,
        rows=len(rows),
        repos=tally(each.repo for each in rows),
        licences=tally(each.licence or "unknown" for each in rows),
        dropped=tally(each.reason for each in drops),
        tests=None if finder is None else tally(finder.counts.elements()),
        canary=canary,
        sha256=digests({**files}),
    )
    files[CARD] = _card(summary, facts).encode()
    files[MANIFEST] = _json(_manifest(summary, facts))
    _write(out, files)
    return summary


def require_disjoint(rows: Iterable[MinedRow], excluded: Iterable[ExcludedRepositories]) -> None:
    """Raise DataError for a repository of these rows that training data has; case is ignored."""
    repos = {each.repo.casefold(): each.repo for each in rows}
    for each in excluded:
        shared = sorted(repos[name] for name in {repo.casefold() for repo in each.repos} & set(repos))
        if shared:
            what = counted(len(shared), "repository", "repositories")
            message = f"training data in {each.place} has {what} of these rows: {', '.join(shared[:5])}"
            hint = "build the training data again without them: it may share none with test data"
            raise DataError(message, hint=hint)


def _each_once(found: Iterable[MinedRow | Drop]) -> tuple[list[MinedRow], list[Drop]]:
    """The rows by id, without rows of equal content, and the drops."""
    drops: list[Drop] = []
    rows: dict[str, MinedRow] = {}
    contents: set[str] = set()
    for each in found:
        if isinstance(each, Drop):
            drops.append(each)
            continue
        name, content = row_id(each.row), _content(each.row)
        if name in rows or content in contents:
            drops.append(Drop(unit=name, reason="duplicate"))
            continue
        contents.add(content)
        rows[name] = each
    return [rows[name] for name in sorted(rows)], drops


def row_id(row: Mapping[str, Any]) -> str:
    """The id of a row in either shape: flat, or with `meta`."""
    return str(row["id"] if "id" in row else row["meta"]["id"])


def _content(row: Mapping[str, Any]) -> str:
    """A key of what a model sees of a row and what it is compared with."""
    if "inputs" in row:
        return content_key(row["inputs"], row["outputs"])
    return content_key(row["code"], row["first"], row["last"], row["remark"], row["reference"])


def _files(rows: Sequence[MinedRow], drops: Sequence[Drop], track: str, canary: str) -> dict[str, bytes]:
    marked = [{**each.row, "meta": {**each.row["meta"], "canary": canary}} for each in rows]
    files: dict[str, bytes] = {DATA: _lines(marked)}
    if registry.declaration(track).converter:
        converter = registry.load(registry.declaration(track).converter)
        files[RECORDS] = _lines([converter.record_of_row(row) for row in marked])
    files[DROPPED] = _lines(
        [{"unit": each.unit, "reason": each.reason, "detail": each.detail} for each in drops]
    )
    return files


def _manifest(summary: BenchmarkExport, facts: BenchmarkFacts) -> dict[str, Any]:
    return {
        "kind": KIND,
        "track": summary.track,
        "made_by": f"benchwright {VERSION}",
        "release": dict(facts.release),
        "rungs": list(facts.rungs),
        "split": "test",
        "rows": summary.rows,
        "repos": summary.repos,
        "licences": summary.licences,
        "dropped": summary.dropped,
        **({} if summary.tests is None else {"tests": summary.tests}),
        "canary": summary.canary,
        "sha256": summary.sha256,
    }


def _card(summary: BenchmarkExport, facts: BenchmarkFacts) -> str:
    repos = counted(len(summary.repos), "repository", "repositories")
    release = facts.release.get("release", "")
    parts = [
        _head(summary),
        f"# Rows of {summary.track}\n",
        f"{counted(summary.rows, 'row')} from {repos}, made from the test split of the release `{release}`. "
        "No row of its training split is from one of these repositories.\n",
        _on_rungs(facts.rungs),
        _on_tests(summary) if facts.rungs else "",
        _table("Repository", summary.repos),
        _table("Licence", summary.licences),
        _table("Left out", {name.replace("_", " "): n for name, n in summary.dropped.items()}),
        f"```sh\nbenchwright check {DATA}\n"
        f"benchwright run {summary.track} --data {DATA} --model MODEL\n```\n",
        f"Canary, to be looked for in what a model was trained on: `{summary.canary}`\n",
    ]
    return "\n".join(part for part in parts if part)


def _head(summary: BenchmarkExport) -> str:
    """The metadata of the card, for hubs."""
    known = [each.lower() for each in summary.licences if each != "unknown"]
    licence = known[0] if len(known) == len(summary.licences) == 1 else "other"
    files = f"  data_files:\n  - split: test\n    path: {DATA}\n"
    return f"---\nlicense: {licence}\nconfigs:\n- config_name: default\n{files}---\n"


def _on_rungs(rungs: Sequence[int]) -> str:
    if not rungs:
        return ""
    names = ", ".join(f"{rung} ({RUNGS[rung].replace('_', ' ')})" for rung in rungs)
    return f"Each remark is linked to its change on one of these rungs of evidence: {names}.\n"


def _on_tests(summary: BenchmarkExport) -> str:
    """How the answers to review remarks are judged."""
    if summary.tests is None:
        return "Tests: not measured. An answer passes if it equals the lines that answered the remark.\n"
    share = f"{summary.tests.get(ADDED, 0):,} of {counted(summary.rows, 'row')}"
    why = {name.replace("_", " "): n for name, n in summary.tests.items() if name != ADDED}
    text = f"Tests decide {share}; in the others an answer passes if it equals the lines that answered it.\n"
    return "\n".join(part for part in (text, _table("Without tests", why)) if part)


def _table(title: str, counts: Mapping[str, int]) -> str:
    if not counts:
        return ""
    rows = "".join(f"| {name} | {number:,} |\n" for name, number in counts.items())
    return f"| {title} | rows |\n|---|---:|\n{rows}"


def _lines(rows: Iterable[Mapping[str, Any]]) -> bytes:
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows).encode("utf-8", "replace")


def _json(document: Mapping[str, Any]) -> bytes:
    return (json.dumps(document, ensure_ascii=False, indent=2) + "\n").encode()


def _write(out: Path, files: Mapping[str, bytes]) -> None:
    half = out.with_name(f".{out.name}.half")
    shutil.rmtree(half, ignore_errors=True)
    try:
        for name, content in files.items():
            path = half / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
        half.rename(out)
    except OSError as error:
        hint = f"ls -ld {quoted(out.parent)}   # must be writable and have space"
        raise UsageError(f"{escaped_path(out)} cannot be written: {error.strerror}", hint=hint) from None
    finally:
        shutil.rmtree(half, ignore_errors=True)
