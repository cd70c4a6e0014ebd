"""StRuCom: write a structured documentation comment in Russian for a function."""

from benchwright.registry import TrackDeclaration

STRUCOM = TrackDeclaration(
    name="strucom",
    title="StRuCom",
    target="benchwright.tracks.strucom.track:TRACK",
    profiles=("strict", "mera-exact"),
    row_fields=(("inputs.function", "meta.language"),),
    row="benchwright.tracks.row_schemas:DocumentationRow",
    mera_sets=("stRuCom",),
)
