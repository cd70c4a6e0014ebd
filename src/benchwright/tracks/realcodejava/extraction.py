"""The body of a Java method in an answer: as MERA takes it, and what the model means.

MERA's way: the text after the first ```` ```java ```` up to the next fence; what follows the head that the
context ends with; the closing brace of the reference where one is missing; cut after the brace that ends the
method. Behaviour of `code_tasks/realcodejava/pipe.py` of MERA_CODE.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from benchwright.text.fences import find_blocks
from benchwright.text.normalisation import drop_marks, normalise, strip_reasoning

TAG, MARKS = "```java", "```"
_LAST_LINES = 20  # of the context, among which the head is
_SHORTEST = 5  # place before which a brace ends no method
_ENDING = re.compile(r"(?<=\n)[\t ]*}[\n\t ]*?$")


def exact_method(text: str, *, intent: str, context: str, reference: str) -> str:
    """Return the text that MERA inserts between the contexts."""
    body = _after_head(_inside_fence(text), context, intent.split("[", maxsplit=1)[0])
    return _up_to_end(_close_method(body, reference))


def _inside_fence(text: str) -> str:
    """An opening without an end counts, and so does an end without an opening."""
    start = text.find(TAG)
    begin = 0 if start < 0 else start + len(TAG)
    end = text.find(MARKS, begin)
    return text[begin:] if end < 0 else text[begin:end]


def _after_head(code: str, context: str, name: str) -> str:
    """The part after the last copy of the head with which the context ends."""
    last = "\n".join(context.splitlines()[-_LAST_LINES:])
    heads = re.findall(rf"(?m)\s+{re.escape(name)}\b.*\{{[\n\t ]*?$", last)
    return code.rsplit(heads[-1], maxsplit=1)[-1] if heads else code


def _close_method(code: str, reference: str) -> str:
    """Append the last brace of the reference, unless the code ends with a brace that closes the method."""
    depths = {"{": 1, "}": -1}
    if code.rstrip().endswith("}") and sum(depths[brace] for _, brace in _braces(code)) < 0:
        return code
    ending = _ENDING.search(reference)
    if ending is None:
        return code
    return f"{code}{'' if code.endswith(chr(10)) else chr(10)}{ending[0]}"


def _up_to_end(code: str) -> str:
    """Cut after the brace that closes the method; unchanged without one."""
    depth = 1
    for place, brace in _braces(code):
        depth += 1 if brace == "{" else -1
        if depth == 0 and brace == "}" and place >= _SHORTEST:
            return code[: place + 1]
    return code


def _braces(code: str) -> Iterator[tuple[int, str]]:
    """Yield braces outside of texts and comments, by MERA's reading of both.

    It counts quotes in comments, and takes any two characters for an opening or end, wherever they are.
    """
    character = text = line = block = False
    before = ""
    for place, char in enumerate(code):
        pair = before + char
        before = char
        if char == '"' and pair != '\\"':
            text = not text
        if char == "'" and pair != "\\'" and not (text or line or block):
            character = not character
        if pair == "//":
            line = True
        elif pair == "/*":
            block = True
        elif pair == "*/":
            block = False
        if char == "\n":
            line = False
        if char in "{}" and not (character or text or line or block):
            yield place, char


def strict_method(text: str, *, name: str, reference: str) -> str:
    """Return the body that a model means, with the brace that ends the method; empty if there is none.

    Reasoning is dropped. The first fenced block counts, and of a block with the whole method its body.
    """
    visible_text = strip_reasoning(drop_marks(normalise(text))).text
    blocks = find_blocks(visible_text)
    code = blocks[0].content if blocks else visible_text
    if not code.strip():
        return ""
    head = re.search(rf"(?m)^[^\n;=]*\b{re.escape(name)}\s*\([^{{}};]*\{{", code)
    body = code[head.end() :] if head else code
    return _up_to_end(_close_method(body.strip("\n"), reference))
