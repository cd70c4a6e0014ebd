"""RealCodeJava: write the body of a method in a Java repository."""

from benchwright.registry import TrackDeclaration

REALCODEJAVA = TrackDeclaration(
    name="realcodejava",
    title="RealCodeJava",
    target="benchwright.tracks.realcodejava.track:TRACK",
    profiles=("strict", "mera-exact"),
    row_fields=(("inputs.left_context", "meta.file_path"),),
    row="benchwright.tracks.row_schemas:JavaRepositoryRow",
    mera_sets=("RealCodeJava",),
)
