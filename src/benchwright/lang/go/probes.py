"""A Go file that says which of its statements it comes to."""

from __future__ import annotations

from benchwright.lang.faults import SyntaxFault
from benchwright.lang.go.tree import parse
from benchwright.lang.tree_probes import Probed, ProbeWords, probed

# `println` needs no import, and bypasses a replaced os.Stderr
_FUNCTION = """

var {word}Seen [{many}]bool

func {word}(number int) {{
	if !{word}Seen[number] {{
		{word}Seen[number] = true
		println("\\n{word}", number)
	}}
}}
"""


def probed_go(code: str, word: str) -> Probed | None:
    """Return the file with probes that print `word` and their number; None if it does not parse."""
    tree = parse(code)
    if isinstance(tree, SyntaxFault) or tree.fault is not None:
        return None
    return probed(
        tree,
        ProbeWords(
            call=lambda number: f"{word}({number});",
            end=lambda many: _FUNCTION.format(word=word, many=many),
        ),
    )
