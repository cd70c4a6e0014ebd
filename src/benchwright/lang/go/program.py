"""Programs in Go."""

from benchwright.lang.program_languages import ProgramFile, ProgramLanguage

GO_PROGRAM = ProgramLanguage(
    name="Go",
    spellings=("golang",),
    fence="go",
    fence_tags=frozenset({"go", "golang"}),
    file_of=lambda code: ProgramFile(path="main.go"),
    stub='package main\n\nimport "os"\n\nfunc main() { os.Exit(1) }\n',
)
