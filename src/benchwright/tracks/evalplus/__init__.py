"""EvalPlus: HumanEval+ and MBPP+."""

from benchwright.registry import TrackDeclaration
from benchwright.tracks.functions import PROFILES

EVALPLUS = TrackDeclaration(
    name="evalplus",
    title="EvalPlus",
    target="benchwright.tracks.evalplus.track:TRACK",
    profiles=PROFILES,
    forms=("batch",),
    row_fields=(("base_input", "plus_input"),),
    row="benchwright.tracks.row_schemas:PlusRow",
)
