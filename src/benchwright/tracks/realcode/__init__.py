"""RealCode: write the body of a function in a Python repository."""

from benchwright.registry import TrackDeclaration

REALCODE = TrackDeclaration(
    name="realcode",
    title="RealCode",
    target="benchwright.tracks.realcode.track:TRACK",
    profiles=("strict", "mera-exact"),
    row_fields=(("inputs.left_context", "meta.fn"),),
    row="benchwright.tracks.row_schemas:RepositoryRow",
    mera_sets=("RealCode",),
)
