"""The main path of `check-submission`: unpack, parse, hold against the task set, score as MERA does.

zip ──Member──▶ document ──rows──▶ ids, shapes ──▶ Findings, and both of MERA's scores
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from benchwright.display.escape import escaped_path
from benchwright.errors import UsageError
from benchwright.interop.mera.findings import Finding, Findings, Severity
from benchwright.interop.mera.gold import Gold
from benchwright.interop.mera.kinds import KINDS, Kind, Shape, find_kind, kind_of
from benchwright.interop.mera.parsing import UNREADABLE, read_json
from benchwright.interop.mera.rows import check_ids, read_rows
from benchwright.interop.mera.scoring import RULES, Served, failed, score, score_labels
from benchwright.interop.mera.shapes import OutputCheck
from benchwright.interop.mera.unpacking import Member, read_members

_TRACK = "ruhumaneval"
_READABLE = tuple(kind.name for kind in KINDS.values() if kind.track)


class TaskSet(NamedTuple):
    """One task set of a submission. `served` is by rule; empty where nothing is known to score it with."""

    kind: Kind
    file: str
    rows: int
    served: dict[str, Served]


class Checked(NamedTuple):
    """All that was found."""

    findings: Findings
    sets: list[TaskSet]

    @property
    def errors(self) -> int:
        """How many faults forbid the upload."""
        return self.findings.number(Severity.error)

    @property
    def warnings(self) -> int:
        """How many faults are to be looked at."""
        return self.findings.number(Severity.warning)

    @property
    def listed(self) -> list[Finding]:
        """The findings, errors first, else in the order they were met."""
        return sorted(self.findings.kept, key=lambda finding: finding.severity is Severity.warning)


def check(path: str | Path, golds: Mapping[str, Gold]) -> Checked:
    """Every fault of a submission, held against the task sets that it should answer, by their names.

    Task sets of MERA Code that it holds beside those are checked as far as that goes without their rows.
    """
    found = Findings()
    members = read_members(path, found)
    archive = escaped_path(Path(path).name)
    if not found.has("unreadable-zip", "too-large", file=archive):
        for name in golds:
            _check_is_there(KINDS[name], members, archive, found)
    sets = [check_member(member, golds.get(name), found) for name, member in members.items()]
    return Checked(found, [_without_archive(each) for each in sets] if _is_refused(found) else sets)


def check_member(member: Member, gold: Gold | None, found: Findings) -> TaskSet:
    """One task set's file."""
    document = read_json(member.data, member.name, found)
    if document is UNREADABLE:
        return TaskSet(member.kind, member.name, 0, {})
    return check_document(document, member.kind, gold, member.name, found)


def check_document(document: Any, kind: Kind, gold: Gold | None, file: str, found: Findings) -> TaskSet:
    """One task set's document."""
    outputs = read_rows(document, file, found)
    if outputs is None:
        return TaskSet(kind, file, 0, {})
    if gold is not None:
        check_ids(outputs, gold.tests, file, found)
    OutputCheck(kind, gold, file, found).run(outputs)
    return TaskSet(kind, file, len(outputs), _serve(outputs, kind, gold, file, found))


def name_golds(submission: str | Path, golds: list[Gold], names: list[str]) -> dict[str, Gold]:
    """Which data is of which task set: by the names given, else by whether its outputs are hidden."""
    if names and len(names) != len(golds):
        message = f"{len(names)} task names for {len(golds)} data sets"
        raise UsageError(message, hint="give one --task for each --gold, in the same order")
    for name in names:
        if not find_kind(name).track:
            message = f"no data set of {name} can be read here: its own file is checked without one"
            raise UsageError(message, hint=f"--task {' or --task '.join(_READABLE)}")
    if not names:
        names = [kind_of(_TRACK, private=gold.expected is None).name for gold in golds]
    if len(set(names)) < len(names):
        message = f"{submission}: two data sets are both taken for {names[0]}"
        raise UsageError(message, hint="say which is which: --task ruHumanEval --task ruCodeEval")
    return dict(zip(names, golds, strict=True))


def _check_is_there(kind: Kind, members: Mapping[str, Member], archive: str, found: Findings) -> None:
    if kind.name in members:
        return
    if any(name.split("/")[-1].casefold().startswith(f"{kind.name.casefold()}.") for _, name in found.counts):
        return  # it is there under a name that was already called wrong
    found.add("missing-file", archive, f"it holds no {kind.name}.json at its root")


def _is_refused(found: Findings) -> bool:
    """Whether the server cannot unpack the archive: one damaged file in it is enough."""
    return any(kind in ("unreadable-zip", "encrypted", "not-named-zip") for kind, _ in found.counts)


def _without_archive(each: TaskSet) -> TaskSet:
    served = {
        rule: failed([("unreadable_zip", None)]) if rule == "server" else was
        for rule, was in each.served.items()
    }
    return each._replace(served=served)


# What makes the server refuse a file before it looks at any task of the set.
_REFUSED = {
    "wrong-case": "no_task",
    "byte-order-mark": "unreadable_file",
    "no-outputs": "no_outputs_field_for_doc",
    "no-meta": "no_meta_field_for_doc",
    "no-id": "no_id_field_for_doc",
    "id-unusable": "task_system_error",
}


def _serve(
    outputs: Mapping[Any, Any], kind: Kind, gold: Gold | None, file: str, found: Findings
) -> dict[str, Served]:
    if gold is None or gold.expected is None or not kind.track:
        return {}
    if kind.shape is Shape.text:
        return {"harness": score_labels(gold.expected, outputs)}
    served = {name: score(gold.expected, outputs, rule=rule) for name, rule in RULES.items()}
    if refused := [(name, None) for fault, name in _REFUSED.items() if found.counts[fault, file]]:
        served["server"] = failed(list(refused))
    return served
