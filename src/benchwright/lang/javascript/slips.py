"""Mutation operators, compile errors and probes for JavaScript."""

from __future__ import annotations

import re

from benchwright.lang.breaking import BreakGrammar
from benchwright.lang.companions import PairTexts
from benchwright.lang.faults import SyntaxFault
from benchwright.lang.javascript.modules import parse
from benchwright.lang.javascript.words import FAMILIES
from benchwright.lang.tree_probes import Probed, ProbeWords, probed
from benchwright.lang.tree_slip_context import SlipGrammar

JAVASCRIPT_SLIPS = SlipGrammar(
    lang="JavaScript",
    families=FAMILIES,
    tight_indexes=False,
    functions=frozenset(
        (
            *("function_declaration", "generator_function_declaration", "method_definition"),
            *("arrow_function", "function_expression", "generator_function"),
        )
    ),
    passed_over=frozenset(("throw_statement", "import_statement", "comment")),
    told=re.compile(r"(?:console\.|process\.exit\b|\w*[lL]og(?:ger)?\.|super\(|return\s+Promise\.reject\()"),
    calls=frozenset(("call_expression", "new_expression")),
    members={"member_expression": "property"},
    nothing="null",
    texts=frozenset(("string", "template_string")),
    integers=frozenset(("number",)),
    lists=frozenset(("statement_block",)),
    steps=frozenset(("expression_statement",)),
    leaving=frozenset(("return_statement", "throw_statement", "break_statement", "continue_statement")),
    indexes=frozenset(("subscript_expression",)),
    declared=frozenset(("variable_declarator", "assignment_expression")),
    plain=frozenset(("identifier", "member_expression", "subscript_expression")),
    arguments="arguments",
    block="statement_block",
    bound_calls=re.compile(r"\.(?:slice|substring|substr|charAt|charCodeAt|at|splice)\("),
)
JAVASCRIPT_BREAKS = BreakGrammar(  # a semicolon that is left out is no error
    closed={"arguments": ")", "statement_block": "}", "parenthesized_expression": ")"},
    uses=frozenset(
        ("arguments", "binary_expression", "call_expression", "member_expression", "return_statement")
    ),
    imports=frozenset(("import_statement",)),
)
# From Node.js and V8: what a reader of the two files can predict.
_SHOWN = re.compile(
    r"SyntaxError: (?!Cannot use import statement)|does not provide an export named"
    r"|ReferenceError: [\w$]+ is not"
)


def javascript_shows_why(pair: PairTexts, errors: str) -> bool:
    """Return whether the two files explain an error that stopped them from loading."""
    return _SHOWN.search(errors) is not None


_FUNCTION = """
function {word}(number) {{
  {word}.seen ??= new Set();
  if (!{word}.seen.has(number)) {{
    {word}.seen.add(number);
    process._rawDebug("\\n{word}", number);
  }}
}}
"""


def probed_javascript(code: str, word: str) -> Probed | None:
    """Return the file with probes that print `word` and their number; None if it does not parse."""
    tree = parse(code)
    if isinstance(tree, SyntaxFault) or tree.fault is not None:
        return None
    return probed(
        tree, ProbeWords(call=lambda number: f"{word}({number});", end=lambda _: _FUNCTION.format(word=word))
    )
