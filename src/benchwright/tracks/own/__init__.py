"""Own tasks: prompts that users write, with calls, asserts, a label, a rubric or other graders."""

from itertools import product

from benchwright.registry import TrackDeclaration

OWN = TrackDeclaration(
    name="own",
    title="Own tasks",
    target="benchwright.tracks.own.track:TRACK",
    forms=("own",),
    # A row needs `id` and `prompt`; a row that lacks one is recognised too, so that an error names it.
    row_fields=(("id", "prompt"), *product(("id", "prompt"), ("entry_point", "label", "rubric"))),
    row="benchwright.tracks.own.rows:OwnRow",
    one_of=("calls", "asserts", "label", "rubric", "contains", "regex", "json_schema", "function"),
    where="a row of a data set of own tasks, a line of JSON or a [[task]] of TOML",
)
