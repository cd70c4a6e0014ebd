"""Judges and tracks of an external package, installed for a test."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

JUDGE = """
from benchwright.contracts import Judgement, Spec
from benchwright.records import Outcome


class LengthSpec(Spec, frozen=True, kw_only=True, tag="length"):
    most: int


class LengthJudge:
    spec = LengthSpec

    def __init__(self, resources): ...

    def judge(self, taken, spec):
        length = len(taken.program)
        outcome = Outcome.passed if length <= spec.most else Outcome.wrong
        parts = {line: Outcome.passed for line in taken.program.split()}
        return Judgement(outcome=outcome, scores={"length": min(1.0, spec.most / length)}, parts=parts)


class BrokenSpec(Spec, frozen=True, kw_only=True, tag="broken"):
    how: str


class BrokenJudge:
    spec = BrokenSpec

    def __init__(self, resources): ...

    def judge(self, taken, spec):
        if spec.how == "nan":
            return Judgement(outcome=Outcome.passed, scores={"x": float("nan")})
        return lambda: 1 / 0


class UnopenedSpec(Spec, frozen=True, kw_only=True, tag="unopened"): ...


class UnopenedJudge:
    spec = UnopenedSpec

    def __init__(self, resources):
        raise OSError("its model is not there")
"""
TRACK = """
import own_judges
from benchwright.contracts import Extraction
from benchwright.tracks.functions.humaneval import HumanEval


class Short(HumanEval):
    name = "short"

    def spec(self, task, *, profile):
        return own_judges.LengthSpec(most=12)

    def extract(self, task, answer, *, profile):
        return Extraction(program=answer.text.strip(), rule="whole")

    def gold(self, task):
        return "return x + 1"

    def stub(self, task):
        return "return x + 1 + 0"


TRACK = Short()
"""
ENTRY_POINTS = """
[benchwright.judges]
length = own_judges:LengthJudge
broken = own_judges:BrokenJudge
unopened = own_judges:UnopenedJudge
[benchwright.tracks]
short = own_track:TRACK
"""


def install(folder: Path, patch: pytest.MonkeyPatch) -> None:
    """Install the package, for this process and for the workers that it starts."""
    info = folder / "site" / "own-1.0.dist-info"
    info.mkdir(parents=True)
    (info.parent / "own_judges.py").write_text(JUDGE)
    (info.parent / "own_track.py").write_text(TRACK)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: own\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(ENTRY_POINTS)
    patch.syspath_prepend(str(info.parent))
    before = os.environ.get("PYTHONPATH")
    patch.setenv("PYTHONPATH", os.pathsep.join(filter(None, (str(info.parent), before))))
