"""Programs that read stdin and write stdout: rows of our own, of APPS, CodeContests and LiveCodeBench."""

from benchwright.registry import PROGRAM_LANGUAGES, TrackDeclaration

STDIO = TrackDeclaration(
    name="stdio",
    title="Programs with stdin and stdout",
    target="benchwright.tracks.stdio.track:TRACK",
    forms=("row", *PROGRAM_LANGUAGES),
    row_fields=(
        ("prompt", "cases"),
        ("question", "input_output"),
        ("description", "private_tests"),
        ("question_content", "public_test_cases"),
    ),
    row="benchwright.tracks.stdio.rows:StdioRow",
    where="a row of a data set of programs, a line of JSON or a [[task]] of TOML",
)
