"""Smart coding: answers to issues."""

from benchwright.registry import StoredDemo, TrackDeclaration

ISSUES = TrackDeclaration(
    name="smartcoding-issues",
    title="Smart coding: issues",
    target="benchwright.tracks.issues.track:TRACK",
    forms=("rules",),
    row_fields=(("inputs.question",),),
    row="benchwright.tracks.row_schemas:IssueRow",
    converter="benchwright.tracks.issues.rows:CONVERTER",
    record_formats=("issue", "ianvs"),
    demo=StoredDemo(
        data="smartcoding/issues.jsonl",
        answers="smartcoding/issues",
        about="a model judges answers by references",
    ),
)
