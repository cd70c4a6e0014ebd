"""ruCodeReviewer: review a change in Russian, compared with the remark of one reviewer."""

from benchwright.registry import TrackDeclaration

RUCODEREVIEWER = TrackDeclaration(
    name="rucodereviewer",
    title="ruCodeReviewer",
    target="benchwright.tracks.rucodereviewer.track:TRACK",
    profiles=("strict", "mera-exact"),
    row_fields=(("inputs.diff_block",),),
    row="benchwright.tracks.row_schemas:ReviewRow",
    mera_sets=("ruCodeReviewer",),
)
