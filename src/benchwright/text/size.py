"""Size of a program in lines and tokens of code."""

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
    """Return {"code_lines": …, "code_tokens": …} of a Python program; invalid programs count up to the error.

    Lines are those with a token or part of one: neither empty lines nor comments. Tokens are names, numbers,
    strings and operators of Python's tokenizer.
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
