"""Programs in C."""

from benchwright.lang.program_languages import ProgramFile, ProgramLanguage

C_PROGRAM = ProgramLanguage(
    name="C",
    spellings=("c11", "c17"),
    fence="c",
    fence_tags=frozenset({"c", "c11", "c17"}),
    file_of=lambda code: ProgramFile(path="main.c"),
    stub="int main(void) { return 1; }\n",
)
