"""Execute Python suites: pytest and unittest files, each in a fork of an interpreter with pytest loaded.

The trusted side draws the canaries and the nonce, reads the claims with the sandbox's own codec, and verifies
them against the cases it knows. Nothing of the suite is imported or compiled here. pytest's bytecode is
compiled once, outside, from the files that the jail shows: uv installs packages without it and the jail
cannot write any. It halves the start of an interpreter and changes nothing else.
"""

from __future__ import annotations

import marshal
import os
import re
import secrets
import shutil
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from hashlib import sha256
from importlib.util import MAGIC_NUMBER
from pathlib import Path
from typing import NamedTuple

import msgspec

from benchwright.contracts import CaseReport, Suite, SuiteReport, Variation
from benchwright.errors import PrerequisiteError, SandboxError, UsageError, install_command
from benchwright.judges.suites.libraries import digest_of, entries
from benchwright.judges.suites.project_builds import build_python
from benchwright.judges.suites.report_verification import (
    DETAIL_LIMIT,
    Canaries,
    SuiteClaims,
    draw_canaries,
    kind_of,
    sandbox_error,
    verify_report,
)
from benchwright.judges.suites.toolchain_cache import cache_folder
from benchwright.judges.suites.variations import schedule_stress
from benchwright.records import Outcome
from benchwright.sandbox.box import Sandbox
from benchwright.sandbox.claims import tampered_end
from benchwright.sandbox.codec import CodecError, decode
from benchwright.sandbox.environments import (
    SITE,
    Environment,
    find_environment,
    site_binds,
    site_modules,
    versions,
)
from benchwright.sandbox.inside.suite_lines import LINES
from benchwright.sandbox.inside.suite_places import PLACE, name_of
from benchwright.sandbox.inside.wire import FORMAT
from benchwright.sandbox.jail import python_version
from benchwright.sandbox.limits import Limits
from benchwright.sandbox.untrusted import CpuTimeExceeded, UntrustedBytes, processor_limit
from benchwright.sandbox.zygote import AnswerEnded, AnswerUsage, Job, RunningAnswer

LIMITS = Limits(cpu_s=10.0)
MAX_CASES = 20_000
MAX_FRAME = 16 << 10
MAX_REPORT = 16 << 20  # bytes of all frames of a suite
_MAX_TRACED = 100_000  # lines: more than a focal file may have
KEPT_WARM = 5  # interpreters by hash seed: those of the five executions of one suite
# An eighth of an interpreter's start. Suites that mention neither these modules nor what they import have
# interpreters without them.
_SLOW = ("asyncio", "unittest.mock")
_SLOW_WORDS = re.compile("asyncio|mock|ssl|concurrent", re.IGNORECASE)
_CUT = "test_"


class PythonSuites:
    """The SuiteRunner of Python, in one process."""

    lang = "Python"
    batch = 1  # nothing is compiled

    def __init__(self, jail: str = "auto", *, limits: Limits = LIMITS, libraries: Path | None = None) -> None:
        self._jail, self._limits, self._libraries = jail, limits, libraries
        self._boxes: dict[int, Sandbox] = {}  # by hash seed, which is fixed when an interpreter starts
        self._environments: dict[tuple[int, bool], Environment] = {}  # by hash seed and slow modules
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
        canaries, nonce = draw_canaries("test_{}"), secrets.token_hex(16)
        claims = SuiteClaims()

        def work(running: RunningAnswer) -> None:
            nonlocal claims
            claims = _claims_of_run(running, nonce, _Allowed.by(suite), traced=variation.traced)

        try:
            usage = self._box(variation.hash_seed).execute(
                _job(suite, canaries, nonce, variation),
                work,
                environment=self._environment(suite, variation.hash_seed),
            )
        except SandboxError as error:
            return sandbox_error(error.message)
        claims = msgspec.structs.replace(claims, lines=_within(claims.lines, suite))
        return verify_report(suite, canaries, self._complete(claims, usage), case_of=_case_of)

    def _complete(self, claims: SuiteClaims, usage: AnswerUsage) -> SuiteClaims:
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

    def _environment(self, suite: Suite, hash_seed: int) -> Environment:
        """Return the profile of a suite: with the slow modules if a file mentions one, or if there are
        libraries, which may import them."""
        slow = self._libraries is not None or any(map(_SLOW_WORDS.search, suite.files.values()))
        if (hash_seed, slow) not in self._environments:
            added = _SLOW if slow else ()
            self._environments[hash_seed, slow] = _environment(hash_seed, self._libraries, added)
        return self._environments[hash_seed, slow]

    def _box(self, hash_seed: int) -> Sandbox:
        if hash_seed not in self._boxes:
            while len(self._boxes) >= KEPT_WARM:
                self._boxes.pop(next(iter(self._boxes))).close()
            self._boxes[hash_seed] = Sandbox(limits=self._limits, jail=self._jail)
        return self._boxes[hash_seed]


def _environment(hash_seed: int, libraries: Path | None, added: tuple[str, ...]) -> Environment:
    """Import everything that a suite needs before the first fork: in each fork it would be a third of the
    cost. `added`: further modules."""
    found = find_environment("pytest")
    bytecode = bytecode_binds(found)
    binds = (*bytecode, *_library_binds(found, libraries))
    preload = (*added, *found.preload, "inside.suite_rehearsal")
    preload = ("inside.suite_bytecode", *preload) if bytecode else preload
    name = "-".join((found.name, *added))
    return msgspec.structs.replace(found, name=name, hash_seed=hash_seed, binds=binds, preload=preload)


def _library_binds(environment: Environment, libraries: Path | None) -> list[tuple[str, str]]:
    """Return the library packages, without those that would replace pytest's own."""
    pytest_modules = set(site_modules(environment))
    found = entries(libraries, "Python") if libraries is not None else []
    return [(str(path.resolve()), f"{SITE}/{path.name}") for path in found if path.name not in pytest_modules]


def _pytest_version() -> str:
    profile = find_environment("pytest")
    try:
        site_binds(profile)
    except PrerequisiteError as error:
        raise PrerequisiteError(
            f"cannot execute Python suites: {error.message}", hint=install_command("build")
        ) from None
    return versions(profile)["pytest"]


def _job(suite: Suite, canaries: Canaries, nonce: str, variation: Variation) -> Job:
    if suite.test not in suite.files:
        raise UsageError(f"the suite's test file {suite.test!r} is not among its files")
    names = (canaries.passing.removeprefix(_CUT), canaries.failing.removeprefix(_CUT))
    press = schedule_stress(variation)
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
                name=name, state="failed", kind="tampered", detail=f"{state}, but no test requests it"
            )
        if state == "xfailed":  # as in pytest, an expected failure is not a failure
            return CaseReport(name=name, state="passed", detail=f"xfailed: {detail}")
        return CaseReport(name=name, state=state, kind=kind, detail=detail)


def _claims_of_run(running: RunningAnswer, nonce: str, allowed: _Allowed, *, traced: bool) -> SuiteClaims:
    """Read all claims until the end, whatever ends the run."""
    claims = _Claims([], [], _MAX_TRACED if traced else 0)
    try:
        with processor_limit():
            kind, detail = _read_claims(running, nonce, allowed, claims)
    except AnswerEnded as ended:
        return SuiteClaims(
            cases=claims.cases, kind=kind_of(ended.outcome), detail=ended.detail, lines=claims.lines
        )
    except CpuTimeExceeded:
        return SuiteClaims(kind="timeout", detail="its report took too long to read")
    return SuiteClaims(cases=claims.cases, complete=not kind, kind=kind, detail=detail, lines=claims.lines)


class _Claims(NamedTuple):
    """The claims so far. `most`: maximum number of lines."""

    cases: list[CaseReport]
    lines: list[int]
    most: int


def _read_claims(running: RunningAnswer, nonce: str, allowed: _Allowed, claims: _Claims) -> tuple[str, str]:
    """Read claims; return why the run is incomplete, as the final message states. Raises AnswerEnded without
    one."""
    kind, payload = running.read()
    if kind != b"L":
        raise tampered_end(f"a frame {kind!r} before the suite was begun")
    room = MAX_REPORT
    while True:
        kind, payload = running.read()
        room -= len(payload)
        if room < 0:
            raise AnswerEnded(Outcome.output_limit, f"a report of more than {MAX_REPORT} bytes")
        if kind == b"Z":
            reported_nonce, why, detail = _texts(payload, 3)
            _check_end(running, reported_nonce, nonce)
            return why, detail[:DETAIL_LIMIT]
        if kind == b"T" and len(claims.lines) < claims.most:
            claims.lines.extend(_numbers(*_texts(payload, 1)))
            continue
        if kind != b"C" or len(claims.cases) >= MAX_CASES:
            raise tampered_end(f"a frame {kind!r} instead of a case")
        name, state, failure, detail = _texts(payload, 4)
        claims.cases.append(allowed.case(name, state, failure, detail[:DETAIL_LIMIT]))


def _numbers(text: str) -> list[int]:
    words = text.split(" ")
    if len(words) > LINES or not all(word.isascii() and word.isdigit() and len(word) < 8 for word in words):
        raise tampered_end("executed lines that are not numbers")
    return [int(word) for word in words]


def _within(lines: Iterable[int], suite: Suite) -> list[int]:
    """Return the lines that the focal file has, in order."""
    last = suite.files[suite.focal].count("\n") + 1 if suite.focal in suite.files else 0
    return sorted({line for line in lines if 1 <= line <= last})


def _check_end(running: RunningAnswer, reported_nonce: str, nonce: str) -> None:
    if not secrets.compare_digest(reported_nonce.encode("utf-8", "replace"), nonce.encode()):
        raise tampered_end("a final message that is not the runner's")
    kind, payload = running.read()
    if kind != b"D" or payload:
        raise tampered_end("more after the final message")


def _texts(payload: UntrustedBytes, count: int) -> list[str]:
    try:
        texts = decode(payload) if len(payload) <= MAX_FRAME else None
    except CodecError as error:
        raise tampered_end(f"a malformed message ({error})") from None
    if type(texts) is not tuple or len(texts) != count or any(type(text) is not str for text in texts):
        raise tampered_end("a message of another shape")
    return list(texts)


CROWDED = 100  # modules in a folder, such as pygments' lexers
Binds = Sequence[tuple[str, str]]


def bytecode_binds(environment: Environment) -> tuple[tuple[str, str], ...]:
    """Return the binds of the cache; none if nothing can be cached: then the jail compiles for itself."""
    shown = site_binds(environment)
    folder = cache_folder() / f"python-{_key(shown)}"
    try:
        if not folder.exists():
            folder.parent.mkdir(parents=True, exist_ok=True)
            _make(shown, folder)
    except OSError:
        return ()  # slower, and otherwise the same
    return ((str(folder), PLACE),)


def _key(shown: Binds) -> str:
    """Return a key that changes with installed packages; a source edited in place is noticed at its
    import."""
    digest = sha256(sys.version.encode() + MAGIC_NUMBER)
    for source, place in sorted(shown):
        digest.update(f"{place} {source} {os.stat(source).st_mtime_ns}\n".encode())
    return digest.hexdigest()[:20]


def _make(shown: Binds, folder: Path) -> None:
    """Build in a temporary folder, which is renamed when complete; the second of two processes finds it
    there."""
    building = Path(tempfile.mkdtemp(prefix=".python-", dir=folder.parent))
    try:
        building.chmod(0o755)
        for path, place in _modules(shown):
            state, text = os.stat(path), path.read_bytes()
            code = compile(text, place, "exec", dont_inherit=True)
            data = marshal.dumps(((state.st_mtime_ns, state.st_size), code))
            (building / name_of(place)).write_bytes(data)
        building.rename(folder)
    except OSError:
        if not folder.exists():
            raise
    finally:
        shutil.rmtree(building, ignore_errors=True)


def _modules(shown: Binds) -> Iterator[tuple[Path, str]]:
    """Yield each module by its path here and in the jail; without crowded folders, few of whose modules
    load."""
    for source, place in shown:
        if source.endswith(".py"):
            yield Path(source), place
        for folder, _, names in os.walk(source):
            if len(names) <= CROWDED:
                for path in (Path(folder, name) for name in names if name.endswith(".py")):
                    yield path, f"{place}/{path.relative_to(source).as_posix()}"
