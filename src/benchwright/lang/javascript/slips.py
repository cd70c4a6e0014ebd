"""JavaScript and TypeScript vocabulary, with mutation operators, compile errors and probes for JavaScript.

Sources: ECMA-262, chapters 12 and 19 and "Native Error Types Used in This Standard"; the TypeScript
Handbook, "Utility Types".
"""

from __future__ import annotations

import re

from benchwright.lang.compile_faults import BreakGrammar
from benchwright.lang.javascript.modules import parse
from benchwright.lang.protocol import PairTexts
from benchwright.lang.source_errors import SyntaxFault
from benchwright.lang.tree_probes import ProbedFile, ProbeWords, insert_probes
from benchwright.lang.tree_slip_grammar import SlipGrammar
from benchwright.lang.vocabulary import by_token, families

_JAVASCRIPT = """
await break case catch class const continue debugger default delete do else enum export extends false
finally for function if import in instanceof let new null of return static super switch this throw true
try typeof undefined var void while with yield async get set NaN Infinity globalThis window document
console process module exports require Object Function Boolean Symbol Error AggregateError EvalError
RangeError ReferenceError SyntaxError TypeError URIError DOMException Number BigInt Math Date String
RegExp Array Map WeakMap Set WeakSet ArrayBuffer DataView JSON Promise Proxy Reflect Intl Iterator
Generator parseInt parseFloat isNaN isFinite encodeURIComponent decodeURIComponent setTimeout setInterval
clearTimeout clearInterval fetch structuredClone queueMicrotask length push pop shift unshift slice
splice map filter reduce forEach keys values entries then number string boolean object function symbol
bigint
"""
JAVASCRIPT_NAMES = frozenset(_JAVASCRIPT.split())
_TYPESCRIPT = """
abstract any as asserts declare enum implements infer interface is keyof module namespace never private
protected public readonly satisfies type
unknown unique void Partial Required Readonly Record Pick Omit Exclude Extract
NonNullable Parameters ReturnType InstanceType Awaited Iterable ReadonlyArray PromiseLike
"""
TYPESCRIPT_NAMES = JAVASCRIPT_NAMES | frozenset(_TYPESCRIPT.split())
RAISES = by_token(
    """
.: TypeError
[: TypeError
parse: SyntaxError
repeat toFixed normalize: RangeError
BigInt: RangeError SyntaxError
decodeURIComponent encodeURIComponent: URIError
"""
)
# Functions with the same parameters.
FAMILIES = families(
    """
startsWith endsWith|indexOf lastIndexOf|trimStart trimEnd|toUpperCase toLowerCase
floor ceil round trunc|min max|push unshift|pop shift|padStart padEnd|every some
find findLast|findIndex findLastIndex|reduce reduceRight
keys values|match matchAll|replace replaceAll|getDate getDay|getMonth getDate|slice substring
"""
)


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
    reporting=re.compile(
        r"(?:console\.|process\.exit\b|\w*[lL]og(?:ger)?\.|super\(|return\s+Promise\.reject\()"
    ),
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
JAVASCRIPT_BREAKS = BreakGrammar(  # a missing semicolon is not an error
    closed={"arguments": ")", "statement_block": "}", "parenthesized_expression": ")"},
    uses=frozenset(
        ("arguments", "binary_expression", "call_expression", "member_expression", "return_statement")
    ),
    imports=frozenset(("import_statement",)),
)
# From Node.js and V8: what a reader of the two files can predict.
_VISIBLE_ERRORS = re.compile(
    r"SyntaxError: (?!Cannot use import statement)|does not provide an export named"
    r"|ReferenceError: [\w$]+ is not"
)


def javascript_shows_why(pair: PairTexts, errors: str) -> bool:
    """Return whether the two files explain an error that stopped them from loading."""
    return _VISIBLE_ERRORS.search(errors) is not None


_FUNCTION = """
function {word}(number) {{
  {word}.seen ??= new Set();
  if (!{word}.seen.has(number)) {{
    {word}.seen.add(number);
    process._rawDebug("\\n{word}", number);
  }}
}}
"""


def probed_javascript(code: str, word: str) -> ProbedFile | None:
    """Return the file with probes that print `word` and their number; None if it does not parse."""
    tree = parse(code)
    if isinstance(tree, SyntaxFault) or tree.fault is not None:
        return None
    return insert_probes(
        tree, ProbeWords(call=lambda number: f"{word}({number});", end=lambda _: _FUNCTION.format(word=word))
    )
