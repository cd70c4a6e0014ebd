"""The function in an answer of YABLoCo: as MERA takes it, and what the model means.

MERA's way, applied twice (by `code_tasks/yabloco/utils.py`, then by `compute.py` of YABLoCo's branch
`mera_code`): the text between the first two fences, without the language's name; without lines that begin
with `#include`, and cut before `main`. A text with exactly one fence becomes `-`.
"""

from __future__ import annotations

from benchwright.text.fences import find_blocks
from benchwright.text.normalisation import drop_marks, normalise, strip_reasoning

_FIRST = ("cpp", "c++", "c", "++")
_SECOND = (*_FIRST, "C", "C++")
_MAINS = ("void main(", "int main(")


def exact_function(text: str) -> str:
    """Return the text that YABLoCo puts into the file."""
    return _block_content(_block_content(text, _FIRST), _SECOND)


def _block_content(text: str, names: tuple[str, ...]) -> str:
    parts = text.split("```")
    code = parts[0] if len(parts) == 1 else parts[1] if len(parts) > 2 else "-"
    for name in names:
        code = code.removeprefix(name)
    lines = [line for line in code.split("\n") if not line.startswith("#include")]
    end = next((at for at, line in enumerate(lines) if line.startswith(_MAINS)), len(lines))
    return "\n".join(lines[:end]) + "\n"


def strict_function(text: str) -> str:
    """Return the first fenced block without reasoning; the whole text if there is no block."""
    visible_text = strip_reasoning(drop_marks(normalise(text))).text
    blocks = find_blocks(visible_text)
    return blocks[0].content if blocks else visible_text
