"""Suggestions in review comments: a fenced block with the word "suggestion" replaces the commented lines.

GitHub, GitLab and Gerrit use this form.
"""

from __future__ import annotations

from benchwright.text.fences import find_blocks


def suggested_lines(comment: str) -> str | None:
    """Return the lines of a comment's suggestion, joined by line feeds; "" deletes the commented lines.

    None if the comment has no suggestion, or several.

    >>> suggested_lines("Shorter:\\n```suggestion\\nreturn a\\n```\\n")
    'return a'
    """
    if "suggestion" not in comment:
        return None
    found = [each for each in find_blocks(comment.replace("\r\n", "\n")) if each.tag == "suggestion"]
    return found[0].content.removesuffix("\n") if len(found) == 1 and found[0].closed else None
