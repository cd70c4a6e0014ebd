"""MultiPL-E in Go, Java, JavaScript, TypeScript, C++ and Rust."""

from benchwright.registry import TrackDeclaration

MULTIPL = TrackDeclaration(
    name="multipl",
    title="MultiPL-E",
    target="benchwright.tracks.multipl.track:TRACK",
    profiles=("strict", "multipl-e"),
    forms=("tests",),
    row_fields=(("prompt", "tests", "language"),),
    row="benchwright.tracks.row_schemas:MultiplRow",
)
