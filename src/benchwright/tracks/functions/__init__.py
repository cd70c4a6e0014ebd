"""Function completion in Python: HumanEval, ruHumanEval and MBPP."""

from benchwright.registry import TrackDeclaration

PROFILES = ("strict", "human-eval", "mera-code", "mera-text")  # rules by which a program is extracted
HUMANEVAL = TrackDeclaration(
    name="humaneval",
    title="HumanEval",
    target="benchwright.tracks.functions.humaneval:TRACK",
    profiles=PROFILES,
    forms=("calls", "batch"),
    row_fields=(("prompt", "test"),),
    row="benchwright.tracks.row_schemas:HumanEvalRow",
)
RUHUMANEVAL = TrackDeclaration(
    name="ruhumaneval",
    title="ruHumanEval",
    target="benchwright.tracks.functions.ruhumaneval:TRACK",
    profiles=PROFILES,
    forms=("batch",),
    row_fields=(("inputs.function", "inputs.tests"), ("inputs.function", "meta.entry_point")),
    row="benchwright.tracks.row_schemas:FunctionRow",
    mera_sets=("ruHumanEval", "ruCodeEval"),
)
MBPP = TrackDeclaration(
    name="mbpp",
    title="MBPP",
    target="benchwright.tracks.functions.mbpp:TRACK",
    profiles=PROFILES,
    forms=("batch",),
    row_fields=(("test_list",),),
    row="benchwright.tracks.row_schemas:AssertedRow",
    one_of=("text", "prompt"),
)
