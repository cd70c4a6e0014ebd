"""C# as an object: it has comments but no test suites."""

from __future__ import annotations

from collections.abc import Mapping

from benchwright.lang.comment_records import CommentedLanguage
from benchwright.lang.csharp.comments import read_csharp


class _CSharp:
    name = "C#"
    spellings: tuple[str, ...] = ("csharp", "c_sharp", "cs")
    suffixes: tuple[str, ...] = (".cs",)
    fence = "csharp"
    fence_tags = frozenset({"csharp", "cs", "c#"})
    line_comment = "//"
    doc_styles: tuple[str, ...] = ("xml",)
    builtin_names = frozenset(
        (
            *(
                "bool",
                "byte",
                "char",
                "decimal",
                "double",
                "float",
                "int",
                "long",
                "object",
                "sbyte",
                "short",
            ),
            *("string", "uint", "ulong", "ushort", "var", "void", "null", "true", "false", "this", "base"),
            *("await", "async", "Task", "List", "Dictionary", "IEnumerable", "String", "Math", "Console"),
        )
    )
    raises: Mapping[str, frozenset[str]] = {
        "[": frozenset({"IndexOutOfRangeException", "KeyNotFoundException", "ArgumentOutOfRangeException"}),
        ".": frozenset({"NullReferenceException"}),
        "/": frozenset({"DivideByZeroException"}),
        "Parse": frozenset({"FormatException", "OverflowException", "ArgumentNullException"}),
        "First": frozenset({"InvalidOperationException"}),
    }
    commented = staticmethod(read_csharp)


CSHARP: CommentedLanguage = _CSharp()
