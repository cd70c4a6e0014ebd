"""How large a program is, in lines and tokens of code."""

from __future__ import annotations

import io
import tokenize

_NO_CODE = frozenset(
    {
        *(tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT),
        *(tokenize.ENCODING, tokenize.ENDMARKER),
    }
)


def code_size(program: str) -> dict[str, float]:
    """{"code_lines": …, "code_tokens": …} of a Python program; of one that cannot be split, up to that place.

    Lines are those on which a token begins or ends, or that lie within one: neither empty lines nor comments.
    Tokens are names, numbers, texts and operators, as Python's tokenizer splits them.
    """
    lines: set[int] = set()
    tokens = 0
    try:
        for token in tokenize.generate_tokens(io.StringIO(program).readline):
            if token.type not in _NO_CODE:
                tokens += 1
                lines.update(range(token.start[0], token.end[0] + 1))
    except (tokenize.TokenError, SyntaxError):
        pass
    return {"code_lines": float(len(lines)), "code_tokens": float(tokens)}
