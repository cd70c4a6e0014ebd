"""Stand-in models: pairs of small models under the ids that programs load, and their preparation."""

from __future__ import annotations

import hashlib
import re
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import Any

import msgspec

from benchwright.contracts.specs import CallCase, LevelsSpec
from benchwright.display.escape import escaped_name
from benchwright.display.wording import counted
from benchwright.errors import DataError, SandboxError
from benchwright.records import Outcome, Record
from benchwright.sandbox.box import Result, Sandbox
from benchwright.sandbox.profiles import (
    TWINS_MANIFEST,
    ModelTwins,
    installed_twins,
    lock_digest,
    twin_digests,
    twins_folder,
)
from benchwright.store.writing import write_json
from benchwright.tracks.aicodereval.entry import BenchmarkEntry, StandIn, Weights, program_of, twin_links

PROFILE = "torch"
BUILD_CPU_S = 120.0
_ID = re.compile(r"[\w.-]{1,96}(/[\w.-]{1,96})?(:[\w./-]{1,96})?(#\w+(,\w+)*)?", re.ASCII)
_PLACE = re.compile(r"[AB]/(torch/)?hub/[^/]+/")
_KINDS = {  # kind of stand-in by pipeline tag of the Hub
    "feature-extraction": "feature-extraction",
    "sentence-similarity": "feature-extraction",
    "sentiment-analysis": "text-classification",
    "ner": "token-classification",
    **{
        tag: tag
        for tag in (
            *("text-classification", "token-classification", "question-answering", "text-generation"),
            *("image-classification", "audio-classification", "torch-hub"),
        )
    },
}


class TwinName(StrEnum):
    """The two stand-ins of an id, without order."""

    a = "A"
    b = "B"


class TwinRequest(Record, frozen=True, kw_only=True):
    """A request for stand-ins. `inputs` are groups of inputs for the model, one group per task.

    `labels` replace those of the kind. The id for torch.hub is OWNER/REPOSITORY[:REF]#ENTRY[,ENTRY…],
    with all entry points in one.
    """

    id: str
    kind: str
    labels: list[str] = []
    inputs: list[list[str | bytes | list[str]]] = []


Make = Callable[[Sequence[TwinRequest]], Mapping[str, str]]  # returns reasons of failures by id


class MissingCapability(StrEnum):
    """Reason why a program could not be executed as intended; it is neither right nor wrong."""

    library = "env-missing"
    weights = "unverified-weights"


class UnavailableResource(Record, frozen=True, kw_only=True):
    """A missing resource; `name` is that of a missing library."""

    lack: MissingCapability
    name: str = ""


def kind_of(task: str) -> str | None:
    """Kind of stand-in for a pipeline tag; None if there is none."""
    return _KINDS.get(task)


def with_twin(spec: LevelsSpec, name: TwinName) -> LevelsSpec:
    """The spec with links to one twin. Values expected on the other twin may not hold."""
    return msgspec.structs.replace(spec, links={**spec.links, **twin_links(name.value)}, twin_links={})


def inputs_of(cases: Iterable[CallCase]) -> list[str | bytes | list[str]]:
    """Texts among the cases' arguments; if a case has two, also the pair."""
    found = list[str | bytes | list[str]]()
    for case in cases:
        texts = list(_texts([case.input.args, case.input.kwargs]))
        found += texts
        if len(texts) == 2:
            found.append(texts)
    return [each for at, each in enumerate(found) if each not in found[:at]]


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for each in value:
            yield from _texts(each)
    elif isinstance(value, dict) and not any(str(key).startswith("$") for key in value):
        yield from _texts(list(value.values()))


class TwinStore:
    """Store of created twins, in a folder mounted in the jail; `build` creates missing ones."""

    def __init__(self, folder: Path | None = None) -> None:
        self.folder = folder or twins_folder(PROFILE) or Path()
        self._twins = installed_twins(self.folder)

    def __contains__(self, name: str) -> bool:
        return name in self._twins

    def __getitem__(self, name: str) -> ModelTwins:
        return self._twins[name]

    def lacking(self, requests: Sequence[TwinRequest]) -> list[TwinRequest]:
        """Requests without complete files for the same request and lock."""
        return [each for each in requests if not self._answers(each)]

    def _answers(self, request: TwinRequest) -> bool:
        stored, current = self._twins.get(request.id), (_key(request), lock_digest(PROFILE))
        return stored is not None and (stored.request, stored.lock) == current and self._is_whole(stored)

    def build(self, requests: Sequence[TwinRequest], box: Sandbox) -> dict[str, str]:
        """Create the requested twins; return reasons of failures by id. Raises SandboxError.

        Existing twins are not created again. Equal requests give equal bytes on processors with equal
        arithmetic.
        """
        lock, refused = lock_digest(PROFILE), dict[str, str]()
        for request in self.lacking(requests):
            try:
                seeds, files = _build_twins(_source(), request, box)
            except DataError as error:
                refused[request.id] = error.message
                continue
            self._remove(request.id)
            _write(self.folder, files)
            self._twins[request.id] = ModelTwins(
                id=request.id,
                kind=request.kind,
                request=_key(request),
                lock=lock,
                seeds=seeds,
                digest=_digest(files),
                paths=sorted(files),
            )
            self._save()
        return refused

    def _is_whole(self, twins: ModelTwins) -> bool:
        try:
            return twins.digest == _digest({path: (self.folder / path).read_bytes() for path in twins.paths})
        except OSError:
            return False

    def _remove(self, name: str) -> None:
        """Remove earlier files of an id, so that it has one revision only."""
        earlier_twins = self._twins.pop(name, None)
        for path in earlier_twins.paths if earlier_twins else ():
            (self.folder / path).unlink(missing_ok=True)
        for twin in TwinName:
            shutil.rmtree(self.folder / twin.value / "hub" / _cache_folder(name), ignore_errors=True)

    def _save(self) -> None:
        write_json(
            self.folder / TWINS_MANIFEST,
            [msgspec.to_builtins(self._twins[name]) for name in sorted(self._twins)],
        )


def make_twins(requests: Sequence[TwinRequest]) -> dict[str, str]:
    """Create missing twins in the sandbox, in the folder mounted in its jail; return failures by id.

    Raises SandboxError, and PrerequisiteError if the profile is not installed.
    """
    store = TwinStore()
    if not (lacking := store.lacking(requests)):
        return {}
    with Sandbox(PROFILE) as box:
        return store.build(lacking, box)


@cache
def _source() -> str:
    return (Path(__file__).parent / "stand_ins.py").read_text(encoding="utf-8")


def _key(request: TwinRequest) -> str:
    """Key of a request: its content, and the code that creates twins."""
    return hashlib.sha256(_source().encode() + msgspec.msgpack.encode(request)).hexdigest()


def _cache_folder(name: str) -> str:
    return f"models--{name.replace('/', '--')}"


def _build_twins(source: str, request: TwinRequest, box: Sandbox) -> tuple[list[int], dict[str, bytes]]:
    """Seeds and files (A/…, B/…) from the sandbox. Raises DataError, SandboxError."""
    if not _ID.fullmatch(request.id):
        raise DataError(f"no stand-in for {request.id!r}: it is not a model id")
    ended = box.run(
        source, "build", [((msgspec.to_builtins(request, builtin_types=[bytes]),), {})],
        environment=PROFILE, cpu_s=BUILD_CPU_S,
    )  # fmt: skip
    if ended.outcome is not Outcome.passed:
        _check_failure(request, ended)
    reply = ended.replies[0].value
    files = {f"{twin}/{path}": content for twin in TwinName for path, content in reply[twin].items()}
    if astray := [path for path in files if ".." in path.split("/") or not _PLACE.match(path)]:
        raise SandboxError(f"no stand-in for {request.id}: its file {astray[0]!r} is in an unexpected place")
    return reply["seeds"], files


def _check_failure(request: TwinRequest, ended: Result) -> None:
    if ended.outcome in (Outcome.exception, Outcome.timed_out):
        raise DataError(f"no stand-in for {request.id}: {ended.detail}")
    raise SandboxError(f"no stand-in for {request.id}: {ended.outcome.value}: {ended.detail}")


def _write(folder: Path, files: Mapping[str, bytes]) -> None:
    """Write files with read permission for the user that runs answers, whatever the umask."""
    for path, content in files.items():
        place = folder / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(content)
        place.chmod(0o644)
        for above in list(place.parents)[: path.count("/") + 1]:
            above.chmod(0o755)
        if path.endswith("hubconf.py"):
            _trust(place.parents[1])


def _trust(hub: Path) -> None:
    """Create the file that torch.hub would create, because the folder is read-only in the jail."""
    (hub / "trusted_list").touch()
    (hub / "trusted_list").chmod(0o644)


def _digest(files: Mapping[str, bytes]) -> str:
    found = hashlib.sha256()
    for path, content in sorted(files.items()):
        found.update(f"{path}\0{len(content)}\0".encode() + content)
    return found.hexdigest()


_LIBRARY = (
    re.compile(r"ModuleNotFoundError: No module named '([\w.]+)'"),
    re.compile(r"requires the (\w+) library but it was not found"),
    re.compile(r"RuntimeError: Missing dependencies: ([\w.]+)"),
    re.compile(r"ImportError: cannot import name '(TF|Flax)\w+' from 'transformers'"),
    re.compile(r"The task [\w-]+ has been removed from (transformers)"),
)
_MODULES = {"TF": "tensorflow", "Flax": "flax"}
_WEIGHTS = (
    re.compile(r"OSError: We couldn't connect to 'https?://[\w.]*' to load"),
    re.compile(r"LocalEntryNotFoundError: "),
    re.compile(r"OfflineModeIsEnabled: "),
    re.compile(
        r"RuntimeError: It looks like there is no internet connection and the repo could not be found"
    ),
)
_NO_NETWORK = re.compile(r"URLError: <urlopen error ")


def unavailable(detail: str, program: str = "") -> UnavailableResource | None:
    """Missing library or model weights according to an outcome's detail; else None.

    A failed connection means missing weights only if the program uses torch.hub.
    """
    for pattern in _LIBRARY:
        if found := pattern.search(detail):
            name = _MODULES.get(found[1], found[1].partition(".")[0].lower())
            return UnavailableResource(lack=MissingCapability.library, name=name)
    if any(pattern.search(detail) for pattern in _WEIGHTS):
        return UnavailableResource(lack=MissingCapability.weights)
    if _NO_NETWORK.search(detail) and "torch.hub" in program:
        return UnavailableResource(lack=MissingCapability.weights)
    return None


MAX_MODELS = 1000  # each may take two CPU minutes; most take two seconds


def make_stand_ins(
    entries: Iterable[BenchmarkEntry], *, note: Callable[[str], object], make: Make = make_twins
) -> None:
    """Create missing stand-ins; `note` is called before a slow creation.

    Raises DataError for an entry whose stand-ins cannot be created, PrerequisiteError if the required
    profile is not installed, and SandboxError.
    """
    stand_in_entries = [entry for entry in entries if entry.weights is Weights.stand_in]
    for entry in stand_in_entries:
        if not entry.stand_ins:
            _check_there(entry)
    tasks = _tasks((each, entry.task_id) for entry in stand_in_entries for each in entry.stand_ins)
    for name, reason in make_requested([each for each, _ in tasks.values()], note=note, make=make).items():
        task = escaped_name(tasks[name][1])
        raise DataError(f"task {task}: {reason}", hint=f"exclude it with --exclude {task}")


def make_requested(
    stand_ins: Iterable[StandIn], *, note: Callable[[str], object], make: Make = make_twins
) -> Mapping[str, str]:
    """Create missing stand-ins; return reasons of failures by id. Raises as `make_stand_ins`."""
    requests = [
        TwinRequest(id=each.id, kind=each.kind, inputs=[[*group] for group in each.inputs])
        for each in stand_ins
    ]
    if not requests or not (lacking := TwinStore().lacking(requests)):
        return {}
    note(f"making small local stand-ins for {counted(len(lacking), 'model')}")
    return make(lacking)


def _tasks(needed: Iterable[tuple[StandIn, str]]) -> dict[str, tuple[StandIn, str]]:
    """Stand-ins by id, each with the first task that needs it."""
    found: dict[str, tuple[StandIn, str]] = {}
    for each, task in needed:
        first, earlier = found.setdefault(each.id, (each, task))
        if first != each:
            task_pair = f"tasks {escaped_name(earlier)} and {escaped_name(task)}"
            message = f"{task_pair} need two different stand-ins of {escaped_name(each.id)}"
            raise DataError(message, hint="they are from two releases: use each release separately")
    if len(found) > MAX_MODELS:
        message = f"the tasks need stand-ins of {len(found):,} models; at most {MAX_MODELS} are made"
        raise DataError(message, hint="use fewer tasks at once: --limit N")
    return found


def _check_there(entry: BenchmarkEntry) -> None:
    """Raise DataError if stand-ins of an earlier release, which does not describe them, are missing."""
    program = program_of(entry)
    if not any(name in program for name in twin_digests(entry.environment)):
        task = escaped_name(entry.task_id)
        raise DataError(
            f"task {task}: the stand-ins of its models are not on this machine, and its release, which is of "
            "an earlier version, does not say how they are made",
            hint=f"build its drafts here with `build aicodereval`, or leave it out with --exclude {task}",
        )
