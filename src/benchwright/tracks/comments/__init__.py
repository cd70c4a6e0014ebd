"""Smart coding: comments on given code."""

from benchwright.registry import StoredDemo, TrackDeclaration

COMMENTS = TrackDeclaration(
    name="smartcoding-comments",
    title="Smart coding: comments",
    target="benchwright.tracks.comments.track:TRACK",
    forms=("rules",),
    row_fields=(("inputs.code", "inputs.lang"),),
    row="benchwright.tracks.row_schemas:CommentRow",
    converter="benchwright.tracks.comments.rows:CONVERTER",
    record_formats=("annotations", "comment", "ianvs"),
    demo=StoredDemo(
        data="smartcoding/comments.jsonl",
        answers="smartcoding/comments",
        about="graded by rules and a model",
    ),
)
