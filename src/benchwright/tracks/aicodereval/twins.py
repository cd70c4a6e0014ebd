"""Offline twins: small local models that programs load under the ids of real ones, without a network.

Of each id there are two, A and B, which disagree: what is written down of one fails on the other. They test
that a program uses its model, not how good that model is. `stand_ins` makes them, in the sandbox.
"""

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

from benchwright.contracts.cases import CallCase, LevelsSpec
from benchwright.errors import DataError, SandboxError
from benchwright.records import Outcome, Record
from benchwright.sandbox.box import Result, Sandbox
from benchwright.sandbox.profiles import TWINS_MANIFEST, Twins, lock_digest, made_twins, twins_folder
from benchwright.store.writing import write_json
from benchwright.tracks.aicodereval.program import twin_links

PROFILE = "torch"
BUILD_CPU_S = 120.0
_ID = re.compile(r"[\w.-]{1,96}(/[\w.-]{1,96})?(:[\w./-]{1,96})?(#\w+(,\w+)*)?", re.ASCII)
_PLACE = re.compile(r"[AB]/(torch/)?hub/[^/]+/")
_KINDS = {  # pipeline tag of the hub: kind of stand-in
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
    """The two stand-ins of an id; there is no order between them."""

    a = "A"
    b = "B"


class TwinRequest(Record, frozen=True, kw_only=True):
    """What to make. `inputs` are groups of what programs give to the model, a group for each task.

    `labels` replace those of the kind. The id for torch.hub is OWNER/REPOSITORY[:REF]#ENTRY[,ENTRY…],
    with all entry points in one.
    """

    id: str
    kind: str
    labels: list[str] = []
    inputs: list[list[str | bytes | list[str]]] = []


Make = Callable[[Sequence[TwinRequest]], Mapping[str, str]]  # by id, why one cannot be made


class Lack(StrEnum):
    """Why a program could not be executed as its author meant it: neither right nor wrong."""

    library = "env-missing"
    weights = "unverified-weights"


class Unavailable(Record, frozen=True, kw_only=True):
    """What a program asked for that is not there; `name` is that of a missing library."""

    lack: Lack
    name: str = ""


def kind_of(task: str) -> str | None:
    """The kind of stand-in for a pipeline tag; None where none can be made."""
    return _KINDS.get(task)


def on_twin(spec: LevelsSpec, name: TwinName) -> LevelsSpec:
    """The spec whose programs find this one of the twins. What the other must give may not hold there."""
    return msgspec.structs.replace(spec, links={**spec.links, **twin_links(name.value)}, twin_links={})


def inputs_of(cases: Iterable[CallCase]) -> list[str | bytes | list[str]]:
    """The texts among the cases' arguments; where a case has two, the pair as well."""
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
    """The twins that are made, in a folder that the jail shows; `build` makes those that are not there."""

    def __init__(self, folder: Path | None = None) -> None:
        self.folder = folder or twins_folder(PROFILE) or Path()
        self._made = made_twins(self.folder)

    def __contains__(self, name: str) -> bool:
        return name in self._made

    def __getitem__(self, name: str) -> Twins:
        return self._made[name]

    def lacking(self, requests: Sequence[TwinRequest]) -> list[TwinRequest]:
        """Those that are not answered yet: by the same request and lock, with all their files."""
        return [each for each in requests if not self._answers(each)]

    def _answers(self, request: TwinRequest) -> bool:
        have, wanted = self._made.get(request.id), (_key(request), lock_digest(PROFILE))
        return have is not None and (have.request, have.lock) == wanted and self._is_whole(have)

    def build(self, requests: Sequence[TwinRequest], box: Sandbox) -> dict[str, str]:
        """Make what is asked for; by id, why one could not be made. Raises SandboxError.

        Requests that were answered before cost nothing. The same ones give the same bytes, on any machine
        whose processor computes the same.
        """
        lock, refused = lock_digest(PROFILE), dict[str, str]()
        for request in self.lacking(requests):
            try:
                seeds, files = _built(_source(), request, box)
            except DataError as error:
                refused[request.id] = error.message
                continue
            self._remove(request.id)
            _write(self.folder, files)
            self._made[request.id] = Twins(
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

    def _is_whole(self, twins: Twins) -> bool:
        try:
            return twins.digest == _digest({path: (self.folder / path).read_bytes() for path in twins.paths})
        except OSError:
            return False

    def _remove(self, name: str) -> None:
        """What an id had before: a second revision beside it would be found first by nobody, and confuse."""
        made = self._made.pop(name, None)
        for path in made.paths if made else ():
            (self.folder / path).unlink(missing_ok=True)
        for twin in TwinName:
            shutil.rmtree(self.folder / twin.value / "hub" / _cached(name), ignore_errors=True)

    def _save(self) -> None:
        write_json(
            self.folder / TWINS_MANIFEST,
            [msgspec.to_builtins(self._made[name]) for name in sorted(self._made)],
        )


def make_twins(requests: Sequence[TwinRequest]) -> dict[str, str]:
    """Make those that are not there in the sandbox, in the folder that its jail shows; by id, why not.

    Raises SandboxError, and PrerequisiteError where the profile is not installed.
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
    """What identifies a request: all of it, and what makes twins."""
    return hashlib.sha256(_source().encode() + msgspec.msgpack.encode(request)).hexdigest()


def _cached(name: str) -> str:
    return f"models--{name.replace('/', '--')}"


def _built(source: str, request: TwinRequest, box: Sandbox) -> tuple[list[int], dict[str, bytes]]:
    """Seeds and files, A/… and B/…, as they came out of the sandbox. Raises DataError, SandboxError."""
    if not _ID.fullmatch(request.id):
        raise DataError(f"no stand-in for {request.id!r}: it is no id of a model")
    ended = box.run(
        source, "build", [((msgspec.to_builtins(request, builtin_types=[bytes]),), {})],
        environment=PROFILE, cpu_s=BUILD_CPU_S,
    )  # fmt: skip
    if ended.outcome is not Outcome.passed:
        _check_failure(request, ended)
    made = ended.replies[0].value
    files = {f"{twin}/{path}": content for twin in TwinName for path, content in made[twin].items()}
    if astray := [path for path in files if ".." in path.split("/") or not _PLACE.match(path)]:
        raise SandboxError(f"no stand-in for {request.id}: its file {astray[0]!r} has another place")
    return made["seeds"], files


def _check_failure(request: TwinRequest, ended: Result) -> None:
    if ended.outcome in (Outcome.exception, Outcome.timed_out):
        raise DataError(f"no stand-in for {request.id}: {ended.detail}")
    raise SandboxError(f"no stand-in for {request.id}: {ended.outcome.value}: {ended.detail}")


def _write(folder: Path, files: Mapping[str, bytes]) -> None:
    """Files that whoever runs answers may read, whatever this process's own mask is."""
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
    """torch.hub makes this file where it is not there, and the folder cannot be written to."""
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


def unavailable(detail: str, program: str = "") -> Unavailable | None:
    """What an outcome's detail says was missing: a library, or the weights of a model; else None.

    A failed connection alone may be anything. It is a model's weights where the program uses torch.hub.
    """
    for pattern in _LIBRARY:
        if found := pattern.search(detail):
            name = _MODULES.get(found[1], found[1].partition(".")[0].lower())
            return Unavailable(lack=Lack.library, name=name)
    if any(pattern.search(detail) for pattern in _WEIGHTS):
        return Unavailable(lack=Lack.weights)
    if _NO_NETWORK.search(detail) and "torch.hub" in program:
        return Unavailable(lack=Lack.weights)
    return None
