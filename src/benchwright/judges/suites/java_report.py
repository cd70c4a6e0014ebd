"""Read the sealed report that a JVM writes on a suite, and the format of its lines.

The seal on each line is SipHash-2-4 under a key drawn for the execution. The tests print to the same place
and can overwrite the report, but a line that they make, change, repeat or remove lacks the seal of its
text and number. Lines, as `Report.java` writes them: S (a case began), E (case, state, kind, detail), A
(case, origin, detail: an assumption skipped it or a part of it), X (kind, detail: the run ended early), Z
(number of lines of E and A before it: only those count). Earlier lines of E and A serve a run that does not
reach Z; a run that does may not claim less than they did.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Mapping, Sequence

from benchwright.contracts import FAILURES, CaseReport, Suite
from benchwright.judges.suites.java_classes import unescaped
from benchwright.judges.suites.report_verification import SuiteClaims, kind_of
from benchwright.lang.java.test_cases import may_skip
from benchwright.sandbox.commands import CommandResult

_MASK = (1 << 64) - 1


def draw_key() -> str:
    """Draw a key of 32 hexadecimal digits."""
    return secrets.token_hex(16)


def seal(key: str, data: bytes) -> str:
    """Return the seal as 16 hexadecimal digits. SipHash-2-4: Aumasson and Bernstein, 2012, section 2."""
    first, second = (int.from_bytes(bytes.fromhex(key)[at : at + 8], "little") for at in (0, 8))
    state = (
        *(first ^ 0x736F6D6570736575, second ^ 0x646F72616E646F6D),
        *(first ^ 0x6C7967656E657261, second ^ 0x7465646279746573),
    )
    padded = data + bytes(7 - len(data) % 8) + bytes([len(data) & 0xFF])
    for at in range(0, len(padded), 8):
        word = int.from_bytes(padded[at : at + 8], "little")
        v0, v1, v2, v3 = _round(_round((*state[:3], state[3] ^ word)))
        state = (v0 ^ word, v1, v2, v3)
    state = (*state[:2], state[2] ^ 0xFF, state[3])
    for _ in range(4):
        state = _round(state)
    return f"{state[0] ^ state[1] ^ state[2] ^ state[3]:016x}"


def _round(state: tuple[int, int, int, int]) -> tuple[int, int, int, int]:
    v0, v1, v2, v3 = state
    v0 = (v0 + v1) & _MASK
    v2 = (v2 + v3) & _MASK
    v1 = _turned(v1, 13) ^ v0
    v3 = _turned(v3, 16) ^ v2
    v0 = (_turned(v0, 32) + v3) & _MASK
    v2 = (v2 + v1) & _MASK
    return v0, _turned(v1, 17) ^ v2, _turned(v2, 32), _turned(v3, 21) ^ v0


def _turned(word: int, bits: int) -> int:
    return (word << bits | word >> (64 - bits)) & _MASK


_LINE = re.compile(rb"^@([0-9a-f]{16}) ([^\n]*)\n", re.MULTILINE)
_ORIGINS = ("test", "junit")  # of an assumption in the test file


def read_claims(suite: Suite, key: str, result: CommandResult, *, cpu_s: float = 0.0) -> SuiteClaims:
    """Return the claims of an execution. A line in the report's format without its seal is tampering."""
    lines = _lines(result.output, key)
    if lines is None:
        return _tampered("a line of the report that the launcher did not write", result, cpu_s)
    last = lines[-1] if lines else []
    count = number(last[1]) if len(last) == 2 and last[0] == "Z" else -1
    if count < 0 or result.status is None:
        return _cut_off(suite, lines, result, cpu_s)
    final_lines = lines[max(0, len(lines) - 1 - count) : -1]
    if len(final_lines) != count or result.status != 0:
        return _tampered("the report and the exit status disagree", result, cpu_s)
    if sign := _contradiction(lines[: len(lines) - 1 - count], final_lines) or _unfounded_skip(
        suite, final_lines
    ):
        return _tampered(sign, result, cpu_s)
    return _complete(suite, final_lines, result, cpu_s)


def changed_files(sent: Mapping[str, bytes], result: CommandResult, folder: str) -> str:
    """Return the first file that a run changed or removed, or added below the folder of classes; "" for
    none."""
    changed = [path for path, content in sent.items() if result.files.get(path) != content]
    added = [path for path in result.files if path not in sent and path.startswith(f"{folder}/")]
    return next(iter([*changed, *added]), "").replace(folder, "classes")


def _complete(suite: Suite, final_lines: list[list[str]], result: CommandResult, cpu_s: float) -> SuiteClaims:
    """Add failures outside all cases, such as at the end of a class: they fail the suite."""
    whole = next(
        (each for each in _case_reports(final_lines) if "#" not in each.name and each.state == "failed"), None
    )
    claims = _claims(_cases(suite, final_lines), result, cpu_s, complete="complete")
    if whole is None or claims.kind:
        return claims
    if whole.kind == "tampered" or whole.kind not in FAILURES:
        return _tampered(f"{whole.name}: {whole.detail}", result, cpu_s)
    return _claims(
        claims.cases,
        result,
        cpu_s,
        complete="complete",
        kind=whole.kind,
        detail=f"{whole.name}: {whole.detail}",
    )


def _contradiction(early: Sequence[list[str]], final_lines: Sequence[list[str]]) -> str:
    """Report what was claimed while the tests ran and is missing at the end: a failure, a case, an
    assumption."""
    final = {(fields[0], fields[1]): fields for fields in final_lines if len(fields) > 2}
    for fields in early:
        if fields[0] not in ("E", "A") or len(fields) < 4:
            continue
        last = final.get((fields[0], fields[1]))
        if last is None or (fields[0] == "E" and fields[2] == "failed" != last[2]):
            return f"{fields[1]}: a result reported while the tests ran is missing from the report"
    return ""


def _unfounded_skip(suite: Suite, final_lines: Sequence[list[str]]) -> str:
    """Report a skip without cause: an assumption, or an annotation of JUnit's, in reach of the case."""
    aborted = [fields for fields in final_lines if fields[0] == "A" and len(fields) == 4]
    for _, name, origin, reason in aborted:
        if origin not in _ORIGINS:
            return f"{name}: aborted from outside of the test file: {reason}"
    skipped = [fields[1] for fields in final_lines if len(fields) == 5 and fields[2] == "skipped"]
    code = unescaped(suite.files.get(suite.test, ""))
    for name in dict.fromkeys([*(fields[1] for fields in aborted), *skipped]):
        if not may_skip(code, name):
            return f"{name}: skipped, but the test file has no reason to skip it"
    return ""


def _lines(output: bytes, key: str) -> list[list[str]] | None:
    """Return the fields of each line of the report; None if a line lacks the seal of its text and number."""
    lines: list[list[str]] = []
    for sealed, text in _LINE.findall(output):
        if seal(key, b"%d %s" % (len(lines), text)) != sealed.decode():
            return None
        lines.append(fields(text.decode("utf-8", "replace")))
    return lines


def _cut_off(suite: Suite, lines: list[list[str]], result: CommandResult, cpu_s: float) -> SuiteClaims:
    """Return claims for a JVM that ended early: the cases that had ended, and why there are no more."""
    last = {fields[1]: fields for fields in lines if fields[0] == "E" and len(fields) == 5}
    broken = next((fields for fields in lines if fields[0] == "X" and len(fields) == 3), ["X", "", ""])
    kind = (
        kind_of(result.outcome)
        if result.status is None
        else broken[1]
        if broken[1] in FAILURES
        else "exception"
    )
    running = next((fields[1] for fields in reversed(lines) if fields[0] == "S" and len(fields) == 2), "")
    within = f" in {running}" if running and running not in last and running in suite.cases else ""
    detail = broken[2] or result.detail or "the JVM exited before the last test was over"
    return _claims(_cases(suite, list(last.values())), result, cpu_s, kind=kind, detail=detail + within)


def _case_reports(final_lines: Sequence[list[str]]) -> list[CaseReport]:
    return [
        CaseReport(name=fields[1], state=fields[2], kind=fields[3], detail=fields[4])
        for fields in final_lines
        if len(fields) == 5
    ]


def _cases(suite: Suite, final_lines: Sequence[list[str]]) -> list[CaseReport]:
    """Return claims by case; claims on a whole class apply to those of its cases without claims of their
    own."""
    by_case = _case_reports(final_lines)
    reported = {each.name for each in by_case}
    whole = {each.name: each for each in by_case if "#" not in each.name}
    spread = [
        CaseReport(name=case, state=each.state, kind=each.kind, detail=each.detail)
        for case in suite.cases
        if case not in reported and (each := _class_of(case, whole)) is not None
    ]
    return [*(each for each in by_case if "#" in each.name), *spread]


def _class_of(case: str, whole: Mapping[str, CaseReport]) -> CaseReport | None:
    """Return the claim on the innermost class around a case."""
    name = case.partition("#")[0]
    while name not in whole and "$" in name:
        name = name.rpartition("$")[0]
    return whole.get(name)


def _tampered(detail: str, result: CommandResult, cpu_s: float) -> SuiteClaims:
    return _claims([], result, cpu_s, kind="tampered", detail=detail)


def _claims(
    cases: list[CaseReport],
    result: CommandResult,
    cpu_s: float,
    *,
    complete: str = "",
    kind: str = "",
    detail: str = "",
) -> SuiteClaims:
    return SuiteClaims(
        cases=cases,
        complete=bool(complete),
        kind=kind,
        detail=detail,
        cpu_s=round(result.usage.cpu_s + cpu_s, 6),
        wall_s=round(result.usage.wall_s, 6),
    )


_ESCAPED = re.compile(r"\\u([0-9a-f]{4})")


def line(*fields: str) -> str:
    """Join fields to one line without its end."""
    return "\t".join(_UNFIT.sub(_escape, field) for field in fields)


def fields(text: str) -> list[str]:
    """Split a line into fields. Characters that are not valid text, such as a lone surrogate, become "?"."""
    return [_plain(field) for field in text.split("\t")]


def number(text: str) -> int:
    """Parse a count as our programs write it; -1 for anything else, of any length."""
    return int(text) if re.fullmatch("[0-9]{1,9}", text) else -1


_UNFIT = re.compile(r"[\x00-\x1f\x7f\\\x85\u2028\u2029]")


def _escape(match: re.Match[str]) -> str:
    return f"\\u{ord(match.group()):04x}"


def _plain(field: str) -> str:
    text = _ESCAPED.sub(lambda match: chr(int(match.group(1), 16)), field)
    return text.encode("utf-8", "replace").decode()
