"""Programs in Java: javac requires a public class in a file of its name."""

import re

from benchwright.lang.program_languages import ProgramFile, ProgramLanguage

_COMMENTS = re.compile(r"//[^\n]*|/\*.*?\*/|\"(?:\\.|[^\"\\\n])*\"", re.DOTALL)
_PACKAGE = re.compile(r"^\s*package\s+([\w.]{1,200})\s*;", re.MULTILINE)
_TYPE = re.compile(r"\b(?P<public>public\s+)?(?:(?:final|abstract|strictfp|sealed)\s+)*class\s+(?P<name>\w+)")
_MAIN = re.compile(r"\bstatic\s+(?:final\s+)?void\s+main\s*\(")


def java_file(code: str) -> ProgramFile:
    """Return the file of the public class, else of the last class before `main`.

    >>> java_file("class A {} class B { public static void main(String[] a) {} }")
    ProgramFile(path='B.java', entry='B')
    """
    bare = _COMMENTS.sub(" ", code)
    main = _MAIN.search(bare)
    classes = list(_TYPE.finditer(bare, 0, main.start() if main else len(bare)))
    public = [each["name"] for each in classes if each["public"]]
    name = (public or [each["name"] for each in classes] or ["Main"])[0 if public else -1]
    package = _PACKAGE.search(bare)
    return ProgramFile(path=f"{name}.java", entry=f"{package[1]}.{name}" if package else name)


JAVA_PROGRAM = ProgramLanguage(
    name="Java",
    spellings=("java17", "java21"),
    fence="java",
    fence_tags=frozenset({"java"}),
    file_of=java_file,
    stub="public class Main {\n    public static void main(String[] args) { System.exit(1); }\n}\n",
)
