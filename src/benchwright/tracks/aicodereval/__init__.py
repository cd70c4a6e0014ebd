"""AICoderEval: functions that use AI libraries."""

from benchwright.registry import TrackDeclaration
from benchwright.tracks.functions import PROFILES

AICODEREVAL = TrackDeclaration(
    name="aicodereval",
    title="AICoderEval",
    target="benchwright.tracks.aicodereval.track:TRACK",
    profiles=PROFILES,
    forms=("levels",),
    row_fields=(("signature", "implementation"),),
    row="benchwright.tracks.aicodereval.entry:BenchmarkEntry",
)
