"""ruCodeEval: the private twin of ruHumanEval, whose expected outputs MERA keeps to itself."""

from benchwright.registry import TrackDeclaration

MERA_EXACT = "mera-exact"
RUCODEEVAL = TrackDeclaration(
    name="rucodeeval",
    title="ruCodeEval",
    target="benchwright.tracks.rucodeeval.track:TRACK",
    profiles=("strict", MERA_EXACT),
    forms=("batch",),
    row="benchwright.tracks.row_schemas:FunctionRow",
    mera_sets=("ruCodeEval",),
)
