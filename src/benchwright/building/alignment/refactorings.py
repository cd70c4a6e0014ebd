"""Refactorings of functions in a commit: rename, move and extract. A heuristic by fingerprints.

The fingerprint of a function is the set of runs of three tokens of its body, without comments and with its
own name replaced, as `lang` reads the file. A function that is gone and one that is new are the same function
if their fingerprints are alike: "rename" if the name differs, "move" if the file or the class differs. A new
function is extracted ("extract") if another function had most of its body, lost it, and calls it now.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from msgspec.structs import replace

from benchwright.building.alignment.objects import Objects
from benchwright.building.text_overlap import Shingles, jaccard, shingles
from benchwright.lang.comment_reading import read_comments
from benchwright.lang.languages import language_of
from benchwright.records import Drop
from benchwright.sources.clone_objects import MissingObjectError
from benchwright.sources.events import Cleaner, FilePatch, FileVersion, RepoEvent

METHOD = "heuristic: function fingerprints"
ALIKE = 0.6  # of two fingerprints of one function: share of the runs that both have
CONTAINED = 0.6  # of the runs of an extracted function: share that the other function had
LEFT = 0.5  # of these runs: the share that the other function may keep
SHORT = 12  # tokens of a body that says too little
SMALL = 24  # tokens of a function whose fingerprint is mostly its header
SMALL_ALIKE = 0.8  # in place of ALIKE, for small functions: two fixtures of tests reach 0.7
MAX_FUNCTIONS = 400  # changed functions of one commit
MAX_FILES = 50
_RUN = 3
_SELF = "self_"


class FunctionText(NamedTuple):
    """A function or method of one version of a file."""

    path: str
    name: str  # dotted within the file
    first: int
    last: int
    tokens: tuple[str, ...]  # of its header and body
    marks: Shingles

    @property
    def simple(self) -> str:
        """The name without the names around it."""
        return self.name.rpartition(".")[2]


class Refactoring(NamedTuple):
    """A refactoring of a function; for "extract", `before` is the function that lost the body."""

    kind: str  # rename, move, extract
    before: FunctionText
    after: FunctionText
    likeness: float


def functions(path: str, lines: Iterable[str]) -> list[FunctionText]:
    """Return the functions of a file; none if its language is unknown or it cannot be read."""
    language = language_of(path)
    if language is None:
        return []
    read = read_comments("\n".join(lines) + "\n", language.name)
    found = []
    for each in read.declared:
        if each.kind != "class":
            texts = [token.text for token in read.tokens if each.first_line <= token.line <= each.last_line]
            tokens = tuple(text for text in texts if text.strip() and not text.startswith("\n"))
            found.append(_function(path, each.name, each.first_line, each.last_line, tokens))
    return found


def _function(path: str, name: str, first: int, last: int, tokens: tuple[str, ...]) -> FunctionText:
    own = name.rpartition(".")[2]
    text = " ".join(_SELF if each == own else each for each in tokens)
    return FunctionText(path, name, first, last, tokens, shingles(text, width=_RUN))


def found_refactorings(before: list[FunctionText], after: list[FunctionText]) -> list[Refactoring]:
    """Return the refactorings between the functions of the changed files, by file and line."""
    old = {(each.path, each.name): each for each in before}
    new = {(each.path, each.name): each for each in after}
    removed = [each for key, each in old.items() if key not in new and len(each.tokens) >= SHORT]
    added = [each for key, each in new.items() if key not in old and len(each.tokens) >= SHORT]
    if len(removed) + len(added) > MAX_FUNCTIONS:
        return []
    same = _without_inner(list(_same_functions(removed, added)))
    matched = {(each.after.path, each.after.name) for each in same}
    stayed = [(one, new[key]) for key, one in old.items() if key in new and one.marks != new[key].marks]
    stayed += [(each.before, each.after) for each in same]
    fresh = [each for each in added if (each.path, each.name) not in matched]
    by_name: dict[str, list[FunctionText]] = {}
    for each in after:
        by_name.setdefault(each.simple, []).append(each)
    extracted = [
        refactoring
        for each in fresh
        if (refactoring := _extracted(each, stayed, by_name[each.simple])) is not None
    ]
    return sorted([*same, *extracted], key=lambda each: (each.after.path, each.after.first, each.kind))


def _same_functions(removed: list[FunctionText], added: list[FunctionText]) -> Iterator[Refactoring]:
    """Pairs of equal functions, the most alike first; equal names win over others."""
    pairs = []
    for one in removed:
        for other in added:
            likeness = jaccard(one.marks, other.marks)
            if likeness >= (SMALL_ALIKE if min(len(one.tokens), len(other.tokens)) < SMALL else ALIKE):
                pairs.append((one.simple != other.simple, -likeness, one, other))
    used: set[FunctionText] = set()
    for renamed, negative, one, other in sorted(
        pairs, key=lambda each: (each[1], each[0], each[2][:3], each[3][:3])
    ):
        if one in used or other in used:
            continue
        used |= {one, other}
        yield Refactoring("rename" if renamed and one.path == other.path else "move", one, other, -negative)


def _without_inner(found: list[Refactoring]) -> list[Refactoring]:
    """Leave out functions that only went along with the function around them."""
    moved = {(each.before.name, each.after.name) for each in found}
    return [
        each
        for each in found
        if (each.before.name.rpartition(".")[0], each.after.name.rpartition(".")[0]) not in moved
    ]


def _nearness(called: FunctionText, caller: FunctionText) -> int:
    """How near a function is to its caller: 3 inside it, 2 in its class, 1 in its file, 0 elsewhere."""
    if called.path != caller.path:
        return 0
    around = called.name.rpartition(".")[0]
    return 3 if around == caller.name else 2 if around == caller.name.rpartition(".")[0] else 1


def _extracted(
    fresh: FunctionText, stayed: list[tuple[FunctionText, FunctionText]], namesakes: list[FunctionText]
) -> Refactoring | None:
    """The function that lost the body of a new one and calls it now; `namesakes` have its name."""
    best = None
    for one, other in stayed:
        calls = fresh.simple in other.tokens and fresh.simple not in one.tokens
        shared = one.marks & fresh.marks
        if not calls or len(shared) < CONTAINED * len(fresh.marks):
            continue
        if any(_nearness(each, other) > _nearness(fresh, other) for each in namesakes):
            continue  # the call means another function of this name
        if len(shared & other.marks) <= LEFT * len(shared):
            found = Refactoring("extract", one, fresh, len(shared) / len(fresh.marks))
            best = found if best is None or found.likeness > best.likeness else best
    return best


def refactorings(commit: RepoEvent, objects: Objects) -> Iterator[RepoEvent]:
    """Yield events of the refactorings of one commit event; nothing for a merge, or for what cannot be read.

    Raises PrerequisiteError if a grammar is not installed.
    """
    parents, sha = commit.heads, commit.subject.partition(":")[2]
    if len(parents) != 1:
        return
    try:
        changes = [
            each for each in objects.changes(parents[0], sha) if language_of(each.path or each.old_path)
        ]
        if len(changes) > MAX_FILES:
            return
        old = [one for each in changes if each.old_path for one in _read(objects, parents[0], each.old_path)]
        new = [one for each in changes if each.path for one in _read(objects, sha, each.path)]
    except MissingObjectError:
        return
    renamed = {each.old_path: each.path for each in changes if each.old_path and each.path}
    old = [each._replace(path=renamed.get(each.path, each.path)) for each in old]
    for number, found in enumerate(found_refactorings(old, new), 1):
        yield _event(commit, sha, number, found)


def with_refactorings(
    records: Iterable[RepoEvent | FilePatch | Drop], objects: Objects, clean: Cleaner
) -> Iterator[RepoEvent | FilePatch | Drop]:
    """Yield records, and before each event of a commit its refactorings: a known commit has them all."""
    for record in records:
        if isinstance(record, RepoEvent) and record.kind == "commit":
            yield from (_cleaned(each, clean) for each in refactorings(record, objects))
        yield record


def _cleaned(event: RepoEvent, clean: Cleaner) -> RepoEvent:
    """The event with cleaned names and paths, which are those of the file."""
    files = [
        replace(each, path=clean.text(each.path), old_path=clean.text(each.old_path)) for each in event.files
    ]
    return replace(event, files=files, text=clean.text(event.text))


def _read(objects: Objects, commit: str, path: str) -> list[FunctionText]:
    return functions(path, objects.lines(commit, path) or [])


def _event(commit: RepoEvent, sha: str, number: int, found: Refactoring) -> RepoEvent:
    native = f"{sha}:{number}"
    return RepoEvent(
        id=f"git:{commit.repo}:refactoring:{native}",
        repo=commit.repo,
        kind="refactoring",
        at=commit.at,
        subject=commit.subject,
        actor=commit.actor,
        bot=commit.bot,
        pull=commit.pull,
        text=f"{found.before.name} -> {found.after.name}",
        state=found.kind,
        files=[FileVersion(path=found.after.path, status="modified", old_path=found.before.path)],
        heads=[sha],
        tool=METHOD,
        source="git",
        source_id=native,
        licence=commit.licence,
    )
