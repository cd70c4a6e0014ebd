"""CodeCorrectness: will this test pass on this file, and with which class of error does it end?"""

from benchwright.registry import TrackDeclaration

LABELS = TrackDeclaration(
    name="codecorrectness",
    title="CodeCorrectness",
    target="benchwright.tracks.correctness.track:TRACK",
    profiles=("strict", "mera-exact"),
    forms=("label", "error-class"),
    row_fields=(("inputs.focal_code",),),
    row="benchwright.tracks.row_schemas:CorrectnessRow",
    mera_sets=("CodeCorrectness",),
)
ERRORS = TrackDeclaration(
    name="codecorrectness-errors",
    title="CodeCorrectness: error class",
    target="benchwright.tracks.correctness.error_track:TRACK",
    forms=("error-class",),
    row="benchwright.tracks.row_schemas:ErrorClassRow",
)
