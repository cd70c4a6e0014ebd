"""UnitTests: write a test for a function or method."""

from benchwright.registry import TrackDeclaration

UNITTESTS = TrackDeclaration(
    name="unittests",
    title="UnitTests",
    target="benchwright.tracks.unittests.track:TRACK",
    profiles=("strict", "mera-exact"),
    row_fields=(("inputs.focal_func", "inputs.test_func_context", "inputs.language"),),
    row="benchwright.tracks.row_schemas:UnitTestRow",
    mera_sets=("UnitTests",),
)
