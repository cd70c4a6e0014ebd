"""Executes Python suites: pytest and unittest files, each in a fork of an interpreter that has pytest ready.

The trusted side draws the canaries and the nonce, reads the claims with the sandbox's own codec, and
settles them against the cases it knows. Nothing of the suite is imported or compiled here.
"""

from __future__ import annotations

import marshal
import secrets
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

import msgspec

from benchwright.contracts import CaseReport, Suite, SuiteReport, Variation
from benchwright.errors import PrerequisiteError, SandboxError, UsageError, install_command
from benchwright.judges.suites.canaries import Canaries, draw
from benchwright.judges.suites.libraries import digest_of, entries
from benchwright.judges.suites.pressing import press_of
from benchwright.judges.suites.projects import build_python
from benchwright.judges.suites.python_bytecode import bytecode_binds
from benchwright.judges.suites.settling import DETAIL_LIMIT, Claims, kind_of, sandbox_error, settle
from benchwright.records import Outcome
from benchwright.sandbox.bounds import TimeUsedUp, processor_limit
from benchwright.sandbox.box import Sandbox
from benchwright.sandbox.codec import CodecError, decode
from benchwright.sandbox.environments import SITE, Environment, find_environment, site_binds, site_modules
from benchwright.sandbox.exchange import tampered
from benchwright.sandbox.inside.suite_lines import LINES
from benchwright.sandbox.inside.wire import FORMAT
from benchwright.sandbox.jail import python_version
from benchwright.sandbox.limits import Limits
from benchwright.sandbox.untrusted import Untrusted
from benchwright.sandbox.zygote import AnswerEnded, Job, Running, Usage

LIMITS = Limits(cpu_s=10.0)
MAX_CASES = 20_000
MAX_FRAME = 16 << 10
MAX_REPORT = 16 << 20  # bytes of all frames of a suite
_MAX_TRACED = 100_000  # lines: more than a focal file may have
KEPT_WARM = 3
_CUT = "test_"


class PythonSuites:
    """The SuiteRunner of Python, in one process."""

    lang = "Python"
    batch = 1  # nothing is compiled

    def __init__(self, jail: str = "auto", *, limits: Limits = LIMITS, libraries: Path | None = None) -> None:
        self._jail, self._limits, self._libraries = jail, limits, libraries
        self._boxes: dict[int, Sandbox] = {}  # by hash seed, which is fixed when an interpreter starts
        self._versions: dict[str, str] = {}

    def versions(self) -> Mapping[str, str]:
        """Return the versions of Python and pytest. Raises PrerequisiteError if pytest is not installed."""
        if not self._versions:
            self._versions = {"python": python_version(), "pytest": _pytest_version()}
            if self._libraries is not None and (digest := digest_of(self._libraries, self.lang)):
                self._versions["libraries"] = digest
        return self._versions

    def prepare(self) -> None:
        """Nothing to prepare: the first suite starts the zygote."""

    def set_up(self) -> None:
        """Nothing to make: `versions` looks for pytest."""

    def build_project(self, files: Mapping[str, bytes]) -> str:
        """Import all top-level packages."""
        return build_python(files)

    def run(
        self, suites: Iterable[tuple[int, Suite]], *, variation: Variation
    ) -> Iterator[tuple[int, SuiteReport]]:
        """Yield a report for each suite, in the order they came."""
        self.versions()
        for number, suite in suites:
            yield number, self._executed(suite, variation)

    def close(self) -> None:
        """End the warm interpreters."""
        for box in self._boxes.values():
            box.close()
        self._boxes.clear()

    def _executed(self, suite: Suite, variation: Variation) -> SuiteReport:
        canaries, nonce = draw("test_{}"), secrets.token_hex(16)
        claims = Claims()

        def work(running: Running) -> None:
            nonlocal claims
            claims = _listened(running, nonce, _Allowed.by(suite), traced=variation.traced)

        try:
            usage = self._box(variation.hash_seed).execute(_job(suite, canaries, nonce, variation), work)
        except SandboxError as error:
            return sandbox_error(error.message)
        claims = msgspec.structs.replace(claims, lines=_within(claims.lines, suite))
        return settle(suite, canaries, self._complete(claims, usage), case_of=_case_of)

    def _complete(self, claims: Claims, usage: Usage) -> Claims:
        kind, detail = claims.kind, claims.detail
        if kind == "exception" and usage.printed >= self._limits.output_bytes:
            detail = f"printed {usage.printed} bytes; then {detail}"
        return msgspec.structs.replace(
            claims,
            kind=kind,
            detail=detail,
            cpu_s=round(usage.cpu_s, 6),
            wall_s=round(usage.wall_s, 6),
            versions=self._versions,
        )

    def _box(self, hash_seed: int) -> Sandbox:
        if hash_seed not in self._boxes:
            while len(self._boxes) >= KEPT_WARM:
                self._boxes.pop(next(iter(self._boxes))).close()
            self._boxes[hash_seed] = Sandbox(
                _environment(hash_seed, self._libraries), limits=self._limits, jail=self._jail
            )
        return self._boxes[hash_seed]


def _environment(hash_seed: int, libraries: Path | None) -> Environment:
    """Import everything that a suite needs before the first fork: in each fork it would be a third of the
    cost."""
    found = find_environment("pytest")
    bytecode = bytecode_binds(found)
    binds = (*bytecode, *_library_binds(found, libraries))
    preload = (*(["inside.suite_bytecode"] if bytecode else []), *found.preload, "inside.suite_rehearsal")
    return msgspec.structs.replace(found, hash_seed=hash_seed, binds=binds, preload=preload)


def _library_binds(environment: Environment, libraries: Path | None) -> list[tuple[str, str]]:
    """Return the library packages, without those that would replace pytest's own."""
    taken = set(site_modules(environment))
    found = entries(libraries, "Python") if libraries is not None else []
    return [(str(path.resolve()), f"{SITE}/{path.name}") for path in found if path.name not in taken]


def _pytest_version() -> str:
    from importlib.metadata import version  # noqa: PLC0415 (40 ms to import)

    try:
        site_binds(find_environment("pytest"))
    except PrerequisiteError as error:
        raise PrerequisiteError(
            f"cannot execute Python suites: {error.message}", hint=install_command("build")
        ) from None
    return version("pytest")


def _job(suite: Suite, canaries: Canaries, nonce: str, variation: Variation) -> Job:
    if suite.test not in suite.files:
        raise UsageError(f"the suite's test file {suite.test!r} is not among its files")
    names = (canaries.passing.removeprefix(_CUT), canaries.failing.removeprefix(_CUT))
    press = press_of(variation)
    how = (variation.order_seed, variation.clock_shift_s, variation.timezone, variation.traced)
    pressed = (variation.pressed, press.switch_s, press.one_core)
    spec = marshal.dumps((suite.test, suite.focal, *names, nonce, *how, *pressed), FORMAT)
    for path in suite.files:
        _check_path(path)
    files = {path: text.encode("utf-8", "surrogatepass") for path, text in suite.files.items()}
    return "suite", "", spec, marshal.dumps(files, FORMAT)


def _check_path(path: str) -> None:
    parts = path.split("/")
    if path.startswith("/") or "\0" in path or not {"", ".", ".."}.isdisjoint(parts):
        raise UsageError(f"{path!r} does not lie in the suite's project", hint="use a relative path")


def _case_of(name: str) -> str:
    """Return the case of a run: "test_x" for "test_x[1-a]"."""
    return name.partition("[")[0]


class _Allowed(NamedTuple):
    """Endings other than pass and fail that the tests' own text mentions: the code under test could choose
    them as well."""

    skips: bool
    xfails: bool

    @classmethod
    def by(cls, suite: Suite) -> _Allowed:
        names = [path for path in suite.files if path.rpartition("/")[2] == "conftest.py"]
        text = "\n".join(suite.files[path] for path in (suite.test, *names)).lower()
        return cls(skips="skip" in text, xfails="xfail" in text or "expectedfailure" in text)

    def case(self, name: str, state: str, kind: str, detail: str) -> CaseReport:
        if (state == "skipped" and not self.skips) or (state == "xfailed" and not self.xfails):
            return CaseReport(
                name=name, state="failed", kind="tampered", detail=f"{state}, and no test says so"
            )
        if state == "xfailed":  # as in pytest, an expected failure is not a failure
            return CaseReport(name=name, state="passed", detail=f"xfailed: {detail}")
        return CaseReport(name=name, state=state, kind=kind, detail=detail)


def _listened(running: Running, nonce: str, allowed: _Allowed, *, traced: bool) -> Claims:
    """Read all claims until the end, whatever ends the run."""
    heard = _Heard([], [], _MAX_TRACED if traced else 0)
    try:
        with processor_limit():
            kind, detail = _heard(running, nonce, allowed, heard)
    except AnswerEnded as ended:
        return Claims(cases=heard.cases, kind=kind_of(ended.outcome), detail=ended.detail, lines=heard.lines)
    except TimeUsedUp:
        return Claims(kind="timeout", detail="its report took too long to read")
    return Claims(cases=heard.cases, complete=not kind, kind=kind, detail=detail, lines=heard.lines)


class _Heard(NamedTuple):
    """The claims so far. `most`: maximum number of lines."""

    cases: list[CaseReport]
    lines: list[int]
    most: int


def _heard(running: Running, nonce: str, allowed: _Allowed, heard: _Heard) -> tuple[str, str]:
    """Read claims; return why the run is incomplete, as the final message states. Raises AnswerEnded without
    one."""
    kind, payload = running.read()
    if kind != b"L":
        raise tampered(f"a frame {kind!r} before the suite was begun")
    room = MAX_REPORT
    while True:
        kind, payload = running.read()
        room -= len(payload)
        if room < 0:
            raise AnswerEnded(Outcome.output_limit, f"a report of more than {MAX_REPORT} bytes")
        if kind == b"Z":
            given, why, detail = _texts(payload, 3)
            _check_end(running, given, nonce)
            return why, detail[:DETAIL_LIMIT]
        if kind == b"T" and len(heard.lines) < heard.most:
            heard.lines.extend(_numbers(*_texts(payload, 1)))
            continue
        if kind != b"C" or len(heard.cases) >= MAX_CASES:
            raise tampered(f"a frame {kind!r} instead of a case")
        name, state, failure, detail = _texts(payload, 4)
        heard.cases.append(allowed.case(name, state, failure, detail[:DETAIL_LIMIT]))


def _numbers(text: str) -> list[int]:
    words = text.split(" ")
    if len(words) > LINES or not all(word.isascii() and word.isdigit() and len(word) < 8 for word in words):
        raise tampered("executed lines that are no numbers")
    return [int(word) for word in words]


def _within(lines: Iterable[int], suite: Suite) -> list[int]:
    """Return the lines that the focal file has, in order."""
    last = suite.files[suite.focal].count("\n") + 1 if suite.focal in suite.files else 0
    return sorted({line for line in lines if 1 <= line <= last})


def _check_end(running: Running, given: str, nonce: str) -> None:
    if not secrets.compare_digest(given.encode("utf-8", "replace"), nonce.encode()):
        raise tampered("a final message that is not the runner's")
    kind, payload = running.read()
    if kind != b"D" or payload:
        raise tampered("more after the final message")


def _texts(payload: Untrusted, count: int) -> list[str]:
    try:
        texts = decode(payload) if len(payload) <= MAX_FRAME else None
    except CodecError as error:
        raise tampered(f"a malformed message ({error})") from None
    if type(texts) is not tuple or len(texts) != count or any(type(text) is not str for text in texts):
        raise tampered("a message of another shape")
    return list(texts)
