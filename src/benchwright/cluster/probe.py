"""Facts about a node, and why it does not fit a run. Runs on the node, without Ray."""

from __future__ import annotations

import os
import platform
import shutil
import socket
import tempfile
import time
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from hashlib import sha256
from pathlib import Path

import msgspec

from benchwright import registry
from benchwright.cluster.canaries import ProvedBatch
from benchwright.contracts import BatchSpec, Criterion, Job
from benchwright.errors import BenchwrightError, PrerequisiteError
from benchwright.executing.executors import ExecutorSetup, open_executor
from benchwright.executing.suite_runners import runner_for
from benchwright.records import Isolation, Record
from benchwright.running.plan import JUDGING
from benchwright.sandbox.codec import encode
from benchwright.sandbox.environments import BUILT_IN, versions
from benchwright.sandbox.jail import choose_jail, python_version
from benchwright.sandbox.machine_probes import probe_group, probe_jail
from benchwright.store.user_cache import user_cache
from benchwright.version import VERSION

LEAST_DISK_MB = 512  # of temporary files and caches: a compiled Go library takes 200 MB
_PACKAGE = Path(__file__).parents[1]
_DECIDING = (
    *("cases", "contracts", "executing", "judges", "lang"),
    *("records.py", "sandbox", "store", "text", "tracks"),
)


class NodeFacts(Record, frozen=True, kw_only=True):
    """Facts that decide whether a node may judge, and those that its verdicts depend on."""

    host: str
    user: int  # id of the user whose processes judge
    kernel: str
    cores: int  # that its processes may use
    jail: str  # bubblewrap or native; empty: none
    layers: dict[str, str]  # of the sandbox, by name: why a layer failed; empty: it works
    isolation: Isolation  # none: a layer failed
    canary: str  # why known programs did not end as they must; empty: they did
    version: str  # of Benchwright
    code: str  # digest of the modules that decide verdicts
    judging: int  # number of the judging rules
    python: str  # that runs answers
    toolchains: dict[str, dict[str, str]]  # versions of its parts, by language
    missing: dict[str, str]  # reason, by language whose toolchain is missing
    profiles: dict[str, dict[str, str]]  # versions of packages, by dependency profile
    disk_mb: int  # free where temporary files and caches are, the smaller of both
    utc_s: float  # its clock at the end of the probe


class NodeNeeds(Record, frozen=True, kw_only=True):
    """Needs of a run, that each node must satisfy."""

    version: str
    code: str
    judging: int
    python: str
    isolation: Isolation = Isolation.separated
    toolchains: dict[str, dict[str, str]] = {}  # versions by language; no versions: any
    profiles: dict[str, dict[str, str]] = {}
    disk_mb: int = LEAST_DISK_MB


def probe(jail: str = "auto") -> NodeFacts:
    """Examine this machine: execute known programs in its sandbox, ask each toolchain for its version.

    Takes about a second of processor time. A missing part is a fact, never an error.
    """
    name, layers = _sandbox(jail)
    toolchains, missing = toolchain_versions(registry.RUNNERS)
    canary = "" if any(layers.values()) else canary_complaint(name)
    return NodeFacts(
        host=socket.gethostname(),
        user=os.geteuid(),
        kernel=platform.release(),
        cores=len(os.sched_getaffinity(0)),
        jail=name,
        layers=layers,
        isolation=Isolation.none if any(layers.values()) or canary else Isolation.separated,
        canary=canary,
        version=VERSION,
        code=code_digest(),
        judging=JUDGING,
        python=python_version(),
        toolchains=toolchains,
        missing=missing,
        profiles=profile_versions(),
        disk_mb=free_disk_mb(),
        utc_s=time.time(),
    )


def _sandbox(jail: str) -> tuple[str, dict[str, str]]:
    """Return the jail's name, and its layers that are needed or absent."""
    try:
        name = choose_jail(jail)
        probes = [each for each in (*probe_jail(name), probe_group()) if each.needed]
    except BenchwrightError as error:
        return "", {"jail": error.message}
    except OSError as error:  # such as no folder for temporary files
        return "", {"jail": str(error)}
    return name, {each.layer: "" if each.holds else each.seen for each in probes}


def canary_complaint(jail: str) -> str:
    """Judge right, wrong and forging programs in a sandbox. Returns why their outcomes are wrong; else ''."""
    spec = BatchSpec(entry_point="f", calls=encode([((1,), {})]), expected=[encode(1)])
    batch = ProvedBatch([Job(0, "def f(x): return x\n", Criterion(spec))])
    try:
        with open_executor(ExecutorSetup(workers=1, jail=jail)) as executor:
            return batch.read(list(executor.judge(batch.jobs)))[1]
    except BenchwrightError as error:
        return error.message


def toolchain_versions(langs: Iterable[str]) -> tuple[dict[str, dict[str, str]], dict[str, str]]:
    """Return versions of the toolchains that execute suites, and the reasons of those that are missing."""
    found, missing = dict[str, dict[str, str]](), dict[str, str]()
    for lang in langs:
        try:
            found[lang] = dict(runner_for(lang).versions())
        except PrerequisiteError as error:
            missing[lang] = error.message
        except OSError as error:  # such as a cache that this user may not read
            missing[lang] = str(error)
    return found, missing


def profile_versions() -> dict[str, dict[str, str]]:
    """Return the versions of the packages of each installed dependency profile."""
    found = {}
    for name in BUILT_IN:
        try:
            found[name] = versions(BUILT_IN[name])
        except PrerequisiteError:
            continue
    return found


@cache
def code_digest() -> str:
    """Return a digest of the contents of all files that decide verdicts: 16 hex digits."""
    digest = sha256()
    for path in sorted(_deciding_files()):
        digest.update(f"{path.relative_to(_PACKAGE)}\n".encode())
        digest.update(sha256(path.read_bytes()).digest())
    return digest.hexdigest()[:16]


def _deciding_files() -> Iterator[Path]:
    for name in _DECIDING:
        place = _PACKAGE / name
        found = place.rglob("*") if place.is_dir() else (place,)
        yield from (path for path in found if path.is_file() and path.suffix != ".pyc")


def free_disk_mb() -> int:
    """Return the free space where temporary files and caches are, the smaller of both; 0 without a place."""
    try:
        temporary = Path(tempfile.gettempdir())
    except FileNotFoundError:
        return 0
    places = temporary, user_cache()
    return min(shutil.disk_usage(_existing(place)).free for place in places) >> 20


def _existing(path: Path) -> Path:
    return next(each for each in (path, *path.parents) if each.exists())


def needs_here(langs: Iterable[str] = (), profiles: Iterable[str] = ()) -> NodeNeeds:
    """Return what a run of this driver needs: its own versions. A toolchain that it lacks may have any."""
    found, missing = toolchain_versions(langs)
    own = profile_versions()
    return NodeNeeds(
        version=VERSION,
        code=code_digest(),
        judging=JUDGING,
        python=python_version(),
        toolchains={**found, **{lang: {} for lang in missing}},
        profiles={name: own.get(name, {}) for name in profiles},
    )


def refusal(facts: NodeFacts, wanted: NodeNeeds) -> str | None:
    """Return why a node may not judge for a run; None if it may."""
    return "; ".join(_reasons(facts, wanted)) or None


def _reasons(facts: NodeFacts, wanted: NodeNeeds) -> Iterator[str]:
    for name in ("version", "judging", "code"):
        if (own := getattr(facts, name)) != (needed := getattr(wanted, name)):
            yield f"{_CALLED[name]} {own}, the run has {needed}"
            break
    if _minor(facts.python) != _minor(wanted.python):
        yield f"Python {facts.python}, the run has {wanted.python}"
    broken = [f"{layer} ({why})" for layer, why in facts.layers.items() if why]
    if broken:
        yield f"failed sandbox layers: {', '.join(broken)}"
    if facts.canary:
        yield f"self-check failed: {facts.canary}"
    if not broken and not facts.canary and facts.isolation is not wanted.isolation:
        yield f"isolation {facts.isolation}, the run has {wanted.isolation}"
    if facts.disk_mb < wanted.disk_mb:
        yield f"disk full: {facts.disk_mb} MB free for temporary files and caches, needs {wanted.disk_mb}"
    yield from unable(facts, wanted).values()


_CALLED = {"version": "Benchwright", "judging": "judging rules", "code": "the same version with other code"}


def _minor(version: str) -> list[str]:
    return version.split(".")[:2]


def unable(facts: NodeFacts, wanted: NodeNeeds) -> dict[str, str]:
    """Return why a node cannot execute a run's languages and profiles as the run does, by their names."""
    found = {}
    for kind, own, needed in (
        ("toolchain", facts.toolchains, wanted.toolchains),
        ("profile", facts.profiles, wanted.profiles),
    ):
        for name, parts in needed.items():
            if name not in own:
                found[name] = f"no {name} {kind}" + (
                    f": {facts.missing[name]}" if name in facts.missing else ""
                )
            elif parts and own[name] != parts:
                found[name] = f"{name} {kind} {_listed(own[name])}, the run has {_listed(parts)}"
    return found


def _listed(parts: Mapping[str, str]) -> str:
    return ", ".join(f"{part} {version}" for part, version in sorted(parts.items()))


class ProbeActor:
    """Probes the node on which it runs, for a table of nodes."""

    def probe(self) -> bytes:
        """Return encoded `NodeFacts`."""
        return msgspec.msgpack.encode(probe())
