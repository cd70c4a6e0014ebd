"""CodeLinterEval: rewrite Python code so that the linter finds nothing."""

from benchwright.registry import TrackDeclaration

CODELINTEREVAL = TrackDeclaration(
    name="codelintereval",
    title="CodeLinterEval",
    target="benchwright.tracks.codelintereval.track:TRACK",
    profiles=("strict", "mera-exact"),
    row_fields=(("inputs.code", "inputs.feedback"),),
    row="benchwright.tracks.row_schemas:LintRow",
    mera_sets=("CodeLinterEval",),
)
