"""The task sets of MERA Code that a submission may hold, and what one row's `outputs` is in each.

A file is found by its base name, and the case of each letter counts: the names are written here once.
"""

from __future__ import annotations

from collections.abc import Mapping
from difflib import get_close_matches
from enum import StrEnum

from benchwright.errors import UsageError
from benchwright.records import Record


class Shape(StrEnum):
    """What `outputs` holds.

    generations: (1, n_gen, n_tests), the text of each call's value, computed on the submitter's machine.
    text: one string. responses: (1, n_gen), the raw answers.
    """

    generations = "generations"
    text = "text"
    responses = "responses"


class Kind(Record, frozen=True, kw_only=True):
    """One task set: its name as in file names, its rows' shape, and the track whose runs can fill it."""

    name: str
    shape: Shape
    track: str = ""  # empty: there is no such track here, so it can be checked but not exported
    rows: int = 0  # in MERA's own data set; 0 where it is not stated
    generations: int = 1
    private: bool = False  # MERA keeps the expected outputs to itself

    @property
    def log_name(self) -> str:
        """The name of the task in lm-eval, which is how MERA's packer looks for its log."""
        return self.name.lower()


_ALL = (
    Kind(name="ruHumanEval", shape=Shape.generations, track="ruhumaneval", rows=164, generations=10),
    Kind(
        name="ruCodeEval",
        shape=Shape.generations,
        track="ruhumaneval",
        rows=164,
        generations=10,
        private=True,
    ),
    Kind(name="CodeLinterEval", shape=Shape.responses, rows=110, generations=10, private=True),
    Kind(name="ruCodeReviewer", shape=Shape.text, rows=689, private=True),
    Kind(name="JavaTestGen", shape=Shape.text, rows=227),
    Kind(name="RealCode", shape=Shape.text, rows=802),
    Kind(name="RealCodeJava", shape=Shape.text, rows=298),
    Kind(name="YABLoCo", shape=Shape.text, rows=208),
    Kind(name="stRuCom", shape=Shape.text, rows=500),
    Kind(name="UnitTests", shape=Shape.text, rows=2500),
    Kind(name="CodeCorrectness", shape=Shape.text, track="codecorrectness", rows=1361),
)
KINDS: Mapping[str, Kind] = {kind.name: kind for kind in _ALL}
_FOLDED = {name.casefold(): kind for name, kind in KINDS.items()}


def find_kind(name: str) -> Kind:
    """The task set of this exact name. Raises UsageError with the nearest one."""
    if name in KINDS:
        return KINDS[name]
    near = like(name)
    hint = f"did you mean `{near.name}`?" if near else f"one of: {', '.join(KINDS)}"
    raise UsageError(f"MERA Code has no task set {name!r}", hint=hint)


def like(name: str) -> Kind | None:
    """The task set of this name in any case, or of the nearest one; None when nothing is near."""
    folded = name.casefold()
    near = [folded] if folded in _FOLDED else get_close_matches(folded, _FOLDED, 1, cutoff=0.8)
    return _FOLDED[near[0]] if near else None


def kind_of(track: str, *, private: bool) -> Kind:
    """The task set that a track's rows belong to.

    Two share the row shape of ruHumanEval; of the two, only ruCodeEval keeps its outputs private.
    """
    kinds = [kind for kind in _ALL if kind.track == track]
    fitting = [kind for kind in kinds if kind.private == private] or kinds
    if not fitting:
        tracks = ", ".join(sorted({kind.track for kind in _ALL if kind.track}))
        hint = (
            f"runs of these tracks can be exported: {tracks}; `convert` turns HumanEval rows into such rows"
        )
        raise UsageError(f"MERA Code has no task set for the track {track!r}", hint=hint)
    return fitting[0]
