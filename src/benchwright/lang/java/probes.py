"""A Java file that says which of its statements it comes to."""

from __future__ import annotations

from benchwright.lang.faults import SyntaxFault
from benchwright.lang.java.tree import parse
from benchwright.lang.tree_probes import Probed, ProbeWords, probed

# directly to the file descriptor: tests replace System.out and System.err
_CLASS = """
final class {name} {{
    private static final boolean[] SEEN = new boolean[{many}];
    private static final java.io.FileOutputStream OUT =
            new java.io.FileOutputStream(java.io.FileDescriptor.err);
    static void at(int number) {{
        if (!SEEN[number]) {{
            SEEN[number] = true;
            try {{
                OUT.write(("\\n{word} " + number + "\\n").getBytes());
            }} catch (java.io.IOException error) {{
            }}
        }}
    }}
}}
"""


def probed_java(code: str, word: str) -> Probed | None:
    """Return the file with probes that print `word` and their number; None if it does not parse."""
    tree = parse(code)
    if isinstance(tree, SyntaxFault) or tree.fault is not None:
        return None
    name = word.capitalize()
    return probed(
        tree,
        ProbeWords(
            call=lambda number: f"{name}.at({number});",
            end=lambda many: _CLASS.format(name=name, word=word, many=many),
        ),
    )
