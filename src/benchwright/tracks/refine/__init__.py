"""Smart coding: review remarks and the change that answers them."""

from benchwright.registry import TrackDeclaration

REFINE = TrackDeclaration(
    name="smartcoding-refine",
    title="Smart coding: review remarks",
    target="benchwright.tracks.refine.track:TRACK",
    forms=("hunk",),
    row_fields=(("code", "remark"), ("remark", "reference")),
    row="benchwright.tracks.refine.rows:RefineRow",
    where="a row of a data set of review remarks, a line of JSON or a [[task]] of TOML",
)
