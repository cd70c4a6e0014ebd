"""YABLoCo: write a function of a C or C++ repository from its signature, its comment and its callees."""

from benchwright.registry import TrackDeclaration

YABLOCO = TrackDeclaration(
    name="yabloco",
    title="YABLoCo",
    target="benchwright.tracks.yabloco.track:TRACK",
    profiles=("strict", "mera-exact"),
    row_fields=(("inputs.signature", "inputs.docstring", "meta.pos"),),
    row="benchwright.tracks.row_schemas:MakeRow",
    mera_sets=("YABLoCo",),
)
