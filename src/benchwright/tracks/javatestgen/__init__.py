"""JavaTestGen: write a JUnit test class for a Java class."""

from benchwright.registry import TrackDeclaration

JAVATESTGEN = TrackDeclaration(
    name="javatestgen",
    title="JavaTestGen",
    target="benchwright.tracks.javatestgen.track:TRACK",
    profiles=("strict", "mera-exact"),
    row_fields=(("inputs.class_name", "inputs.test_class_name", "inputs.code"),),
    row="benchwright.tracks.row_schemas:JavaTestRow",
    mera_sets=("JavaTestGen",),
)
