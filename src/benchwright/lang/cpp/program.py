"""Programs in C++."""

from benchwright.lang.program_languages import ProgramFile, ProgramLanguage

CPP_PROGRAM = ProgramLanguage(
    name="C++",
    spellings=("cpp", "cc", "cxx", "c++17", "cpp17", "c++20", "cpp20"),
    fence="cpp",
    fence_tags=frozenset({"cpp", "c++", "cc", "cxx", "cpp17", "c++17", "cpp20", "c++20"}),
    file_of=lambda code: ProgramFile(path="main.cpp"),
    stub="int main() { return 1; }\n",
)
