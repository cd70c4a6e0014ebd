"""Programs in Rust."""

from benchwright.lang.program_languages import ProgramFile, ProgramLanguage

RUST_PROGRAM = ProgramLanguage(
    name="Rust",
    spellings=("rs",),
    fence="rust",
    fence_tags=frozenset({"rust", "rs"}),
    file_of=lambda code: ProgramFile(path="main.rs"),
    stub="fn main() { std::process::exit(1); }\n",
)
