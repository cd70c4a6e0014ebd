"""Go's doc comments: prose that begins with the name; headings and a paragraph that says "Deprecated:".

Format: Go Doc Comments (go.dev/doc/comment). Parameters and results have no place of their own there.
"""

from __future__ import annotations

import re

from benchwright.lang.docstyles.documentation import Documentation, DocumentationDraft

_NOTICE = re.compile(r"(Deprecated|BUG\([^)\s]*\)):\s*(.*)")


def parse_go(text: str) -> Documentation:
    """Parse the prose and titled sections of a text."""
    draft = DocumentationDraft()
    in_notice = False
    for number, line in enumerate(text.split("\n"), 1):
        notice = _NOTICE.match(line)
        if line.startswith("# ") and line[2:].strip():
            draft.begin("section", [line[2:].strip()], "", "", number)
            in_notice = False
        elif notice:
            draft.begin("section", [notice[1]], "", notice[2], number)
            in_notice = True
        elif in_notice and not line.strip():
            draft.end()
            in_notice = False
        else:
            draft.add(line)
    return draft.finish("go")
