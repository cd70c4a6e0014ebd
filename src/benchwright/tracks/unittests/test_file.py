"""Put the test of an answer into its test file, whose other code the row has."""

from __future__ import annotations

import re
from textwrap import dedent, indent

from benchwright.text.syntax import ParseFault, parse

_WHOLE = {  # a text that is a whole test file by itself
    "Java": re.compile(r"^\s*(?:public\s+)?(?:final\s+)?class\s+\w+", re.MULTILINE),
    "C#": re.compile(r"^\s*(?:public\s+)?(?:sealed\s+)?class\s+\w+", re.MULTILINE),
    "Go": re.compile(r"^package\s+\w+", re.MULTILINE),
    "JavaScript": re.compile(r"\brequire\s*\(\s*['\"]node:test['\"]\s*\)|from\s+['\"]node:test['\"]"),
    "Python": re.compile(r"^(?:from\s+\S+\s+import|import)\s", re.MULTILINE),
}


def placed(test: str, context: str, lang: str) -> str:
    """The test file: the test alone if it is a whole file, else the row's code with the test at its end.

    In Java and C#, and in JavaScript with an open suite, the test is put in front of the last bracket; in
    Python a method is put into the last class.
    """
    test = test.strip("\n")
    if not test.strip():
        return ""
    if lang == "Python":
        return _in_python(test, context)
    if not context.strip() or _WHOLE[lang].search(test):
        return f"{test}\n"
    if lang in ("Java", "C#"):
        return _before_bracket(test, context, "}")
    if lang == "JavaScript" and re.search(r"\bdescribe\s*\(", context):
        return _before_bracket(test, context, "})")
    return f"{context.rstrip()}\n\n{test}\n"


def _before_bracket(test: str, context: str, bracket: str) -> str:
    head, found, tail = context.rpartition(bracket)
    if not found:
        return f"{context.rstrip()}\n\n{test}\n"
    space = "" if test[:1] in " \t" else "    "
    return f"{head.rstrip()}\n\n{indent(test, space)}\n{bracket}{tail.rstrip()}\n"


def _in_python(test: str, context: str) -> str:
    """Imports of the row come first, so that a file by itself keeps them."""
    plain = dedent(test)
    last = _last_class(context)
    is_method = re.search(r"^def\s+\w+\(\s*self\b", plain, re.MULTILINE) is not None
    body = indent(plain, last) if last and is_method else plain
    return f"{context.rstrip()}\n\n{'' if last and is_method else chr(10)}{body}\n".lstrip("\n")


def _last_class(context: str) -> str:
    """The indentation of methods of a class at the end of a file; empty if it ends with something else."""
    tree = parse(context)
    if isinstance(tree, ParseFault) or not tree.body:
        return ""
    last = tree.body[-1]
    return " " * last.body[0].col_offset if hasattr(last, "bases") and hasattr(last, "body") else ""
