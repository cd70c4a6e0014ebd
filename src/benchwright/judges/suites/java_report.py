"""Reads what a run of a Java suite reported: sealed lines, of which each must fit all others.

Lines, as `Report.java` writes them: S (a case began), E (case, state, kind, detail), A (case, origin, detail:
an assumption did away with it or with a part of it), X (kind, detail: the run broke off), Z (how many lines
of E and A stand before it: those count). Lines of E and A that came earlier serve a run that does not get to
Z, and one that does may not say less than they did.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from benchwright.contracts import FAILURES, CaseReport, Suite
from benchwright.judges.suites import java_wire
from benchwright.judges.suites.java_seal import seal
from benchwright.judges.suites.java_sources import unescaped
from benchwright.judges.suites.settling import Claims, kind_of
from benchwright.lang.java.cutting import may_skip
from benchwright.sandbox.commands import Ran

_LINE = re.compile(rb"^@([0-9a-f]{16}) ([^\n]*)\n", re.MULTILINE)
_ORIGINS = ("test", "junit")  # of an assumption that the test file may have made


def read_claims(suite: Suite, key: str, ran: Ran, *, cpu_s: float = 0.0) -> Claims:
    """The claims of an execution. A line of the report's shape without its seal is tampering."""
    lines = _lines(ran.output, key)
    if lines is None:
        return _tampered("a line of the report that the launcher did not write", ran, cpu_s)
    last = lines[-1] if lines else []
    count = java_wire.number(last[1]) if len(last) == 2 and last[0] == "Z" else -1
    if count < 0 or ran.status is None:
        return _cut_off(suite, lines, ran, cpu_s)
    ended = lines[max(0, len(lines) - 1 - count) : -1]
    if len(ended) != count or ran.status != 0:
        return _tampered("the report and the exit status disagree", ran, cpu_s)
    if sign := _contradiction(lines[: len(lines) - 1 - count], ended) or _unfounded_skip(suite, ended):
        return _tampered(sign, ran, cpu_s)
    return _complete(suite, ended, ran, cpu_s)


def changed_files(sent: Mapping[str, bytes], ran: Ran, folder: str) -> str:
    """The first file that a run changed or removed, or added below the folder of classes; "" for none."""
    changed = [path for path, content in sent.items() if ran.files.get(path) != content]
    added = [path for path in ran.files if path not in sent and path.startswith(f"{folder}/")]
    return next(iter([*changed, *added]), "").replace(folder, "classes")


def _complete(suite: Suite, ended: list[list[str]], ran: Ran, cpu_s: float) -> Claims:
    """What failed outside of any case, such as the end of a class, fails the suite."""
    whole = next((each for each in _told(ended) if "#" not in each.name and each.state == "failed"), None)
    claims = _claims(_cases(suite, ended), ran, cpu_s, complete="complete")
    if whole is None or claims.kind:
        return claims
    if whole.kind == "tampered" or whole.kind not in FAILURES:
        return _tampered(f"{whole.name}: {whole.detail}", ran, cpu_s)
    return _claims(
        claims.cases, ran, cpu_s, complete="complete", kind=whole.kind, detail=f"{whole.name}: {whole.detail}"
    )


def _contradiction(early: Sequence[list[str]], ended: Sequence[list[str]]) -> str:
    """What was said while the tests ran and is gone from the end: a failure, a case, an assumption."""
    final = {(fields[0], fields[1]): fields for fields in ended if len(fields) > 2}
    for fields in early:
        if fields[0] not in ("E", "A") or len(fields) < 4:
            continue
        last = final.get((fields[0], fields[1]))
        if last is None or (fields[0] == "E" and fields[2] == "failed" != last[2]):
            return f"{fields[1]}: what was reported while the tests ran is not in the report"
    return ""


def _unfounded_skip(suite: Suite, ended: Sequence[list[str]]) -> str:
    """A case is skipped by the tests' own words only: an assumption, or a mark of JUnit's, in its reach."""
    aborted = [fields for fields in ended if fields[0] == "A" and len(fields) == 4]
    for _, name, origin, said in aborted:
        if origin not in _ORIGINS:
            return f"{name}: aborted from outside of the test file: {said}"
    skipped = [fields[1] for fields in ended if len(fields) == 5 and fields[2] == "skipped"]
    code = unescaped(suite.files.get(suite.test, ""))
    for name in dict.fromkeys([*(fields[1] for fields in aborted), *skipped]):
        if not may_skip(code, name):
            return f"{name}: skipped, and the test file does not say so"
    return ""


def _lines(output: bytes, key: str) -> list[list[str]] | None:
    """The fields of each line of the report, or None when one has not the seal of its text and number."""
    lines: list[list[str]] = []
    for sealed, text in _LINE.findall(output):
        if seal(key, b"%d %s" % (len(lines), text)) != sealed.decode():
            return None
        lines.append(java_wire.fields(text.decode("utf-8", "replace")))
    return lines


def _cut_off(suite: Suite, lines: list[list[str]], ran: Ran, cpu_s: float) -> Claims:
    """The JVM did not live to write the end: the cases that had ended, and why there are no more."""
    last = {fields[1]: fields for fields in lines if fields[0] == "E" and len(fields) == 5}
    broken = next((fields for fields in lines if fields[0] == "X" and len(fields) == 3), ["X", "", ""])
    kind = kind_of(ran.outcome) if ran.status is None else broken[1] if broken[1] in FAILURES else "exception"
    running = next((fields[1] for fields in reversed(lines) if fields[0] == "S" and len(fields) == 2), "")
    within = f" in {running}" if running and running not in last and running in suite.cases else ""
    detail = broken[2] or ran.detail or "the JVM exited before the last test was over"
    return _claims(_cases(suite, list(last.values())), ran, cpu_s, kind=kind, detail=detail + within)


def _told(ended: Sequence[list[str]]) -> list[CaseReport]:
    return [
        CaseReport(name=fields[1], state=fields[2], kind=fields[3], detail=fields[4])
        for fields in ended
        if len(fields) == 5
    ]


def _cases(suite: Suite, ended: Sequence[list[str]]) -> list[CaseReport]:
    """Claims by case; what is said of a whole class goes to those of its cases of which nothing else is."""
    told = _told(ended)
    named = {each.name for each in told}
    whole = {each.name: each for each in told if "#" not in each.name}
    spread = [
        CaseReport(name=case, state=each.state, kind=each.kind, detail=each.detail)
        for case in suite.cases
        if case not in named and (each := _class_of(case, whole)) is not None
    ]
    return [*(each for each in told if "#" in each.name), *spread]


def _class_of(case: str, whole: Mapping[str, CaseReport]) -> CaseReport | None:
    """The claim on the innermost class around a case."""
    name = case.partition("#")[0]
    while name not in whole and "$" in name:
        name = name.rpartition("$")[0]
    return whole.get(name)


def _tampered(detail: str, ran: Ran, cpu_s: float) -> Claims:
    return _claims([], ran, cpu_s, kind="tampered", detail=detail)


def _claims(
    cases: list[CaseReport], ran: Ran, cpu_s: float, *, complete: str = "", kind: str = "", detail: str = ""
) -> Claims:
    return Claims(
        cases=cases,
        complete=bool(complete),
        kind=kind,
        detail=detail,
        cpu_s=round(ran.usage.cpu_s + cpu_s, 6),
        wall_s=round(ran.usage.wall_s, 6),
    )
