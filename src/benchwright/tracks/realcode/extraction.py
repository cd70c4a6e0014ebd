"""The body of a Python function in an answer: as MERA takes it, and what the model means.

MERA's way: the text between the first ```` ```python ```` and the next fence, else the whole text; what
follows a head of the same function; the common indentation replaced by that of the reference; cut before the
first line with less. Behaviour of `code_tasks/realcode/pipe.py` of MERA_CODE, "simple" mode.
"""

from __future__ import annotations

import re
from textwrap import dedent

from benchwright.text.fences import find_blocks
from benchwright.text.normalisation import drop_marks, normalise, strip_reasoning

TAG, MARKS = "```python", "```"
_HEAD = r"(?m)^([ \t]*)(?:async[ \t]+)?(?:def|class)[ \t]+{name}\b"


def exact_body(text: str, *, intent: str, reference: str) -> str:
    """Return the text that MERA inserts between the contexts."""
    indent = indentation(reference)
    return _until_dedent(_reindent(_after_head(_inside_fence(text), intent), indent), indent)


def indentation(code: str) -> int:
    """Return the number of white space characters before the first line that has others; 0 without one."""
    return next((_width(line) for line in code.split("\n") if line.strip()), 0)


def _width(line: str) -> int:
    return len(line) - len(line.lstrip())


def _inside_fence(text: str) -> str:
    _, tag, rest = text.partition(TAG)
    inside, marks, _ = rest.partition(MARKS)
    return inside if tag and marks else text


def _after_head(code: str, intent: str) -> str:
    """Drop everything up to the end of the line with the head of the function.

    MERA's data has a kind after the name (`run[function]`), so its pattern rarely finds a head.
    """
    head = re.search(rf"(?m)^\s*(?:def|class)\s+{re.escape(intent)}\b.*$", code)
    return code[head.end() :].lstrip("\n") if head else code


def _reindent(code: str, indent: int) -> str:
    """Replace the smallest indentation of all lines by another one; blank lines get it too."""
    lines = code.splitlines()
    widths = [_width(line) for line in lines if line.strip()]
    if not widths:
        return ""
    cut = min(widths)
    stripped_lines = (line[cut:] if len(line) >= cut else line.lstrip() for line in lines)
    return "\n".join(" " * indent + line for line in stripped_lines)


def _until_dedent(code: str, indent: int) -> str:
    lines = code.split("\n")
    end = next((at for at, line in enumerate(lines) if line.strip() and _width(line) < indent), len(lines))
    return "\n".join(lines[:end]).rstrip() + "\n\n"


def strict_body(text: str, *, name: str, reference: str) -> str:
    """Return the body that a model means, with the indentation of the reference; empty if there is none.

    Reasoning is dropped. The first fenced block counts, and of a block with the whole function its body. A
    first line without indentation before indented ones continues the prompt, so it gets theirs.
    """
    visible_text = strip_reasoning(drop_marks(normalise(text))).text
    blocks = find_blocks(visible_text)
    code = blocks[0].content if blocks else visible_text
    code = _body_of(code, name).strip("\n")
    indent = indentation(reference)
    lines = code.expandtabs(4).split("\n")
    rest = [line for line in lines[1:] if line.strip()]
    if rest and not _width(lines[0]) and min(map(_width, rest)) >= max(indent, 1) and not _opens(lines[0]):
        lines[0] = " " * min(map(_width, rest)) + lines[0]
    body = dedent("\n".join(lines)).split("\n")
    return "\n".join(" " * indent + line if line.strip() else "" for line in body).rstrip()


def _opens(line: str) -> bool:
    """Whether a line begins a block, so that the next ones are indented because of it."""
    return line.partition("#")[0].rstrip().endswith((":", "(", "[", "{", ",", "\\"))


def _body_of(code: str, name: str) -> str:
    """Return the lines after the head of the function, up to the first line that is not indented deeper."""
    head = re.search(_HEAD.format(name=re.escape(name)), code)
    if head is None:
        return code
    end = _head_end(code, head.end())
    inside = []
    for line in code[end:].split("\n")[1:]:
        if line.strip() and _width(line) <= len(head[1]):
            break
        inside.append(line)
    return "\n".join(inside)


def _head_end(code: str, at: int) -> int:
    """Return the place of the colon that ends a head: the first one outside of brackets."""
    depth = 0
    for place in range(at, len(code)):
        depth += (code[place] in "([{") - (code[place] in ")]}")
        if code[place] == ":" and depth <= 0:
            return place
    return len(code)
