"""Go vocabulary, mutation operators, compile errors that two files explain, and line probes.

Sources: The Go Programming Language Specification, "Predeclared identifiers" and "Keywords", with packages
of its library.
"""

from __future__ import annotations

import re

from benchwright.lang.compile_faults import BreakGrammar, compile_errors
from benchwright.lang.go.predeclared import PREDECLARED
from benchwright.lang.go.tree import parse
from benchwright.lang.protocol import PairTexts
from benchwright.lang.source_errors import SyntaxFault
from benchwright.lang.tree_probes import ProbedFile, ProbeWords, insert_probes
from benchwright.lang.tree_slip_grammar import SlipGrammar
from benchwright.lang.vocabulary import families

_NAMES = """
break case chan const continue default defer else fallthrough for func go goto if import interface map
package range return select struct switch type var Error bufio bytes context crypto encoding errors
expvar filepath flag fmt hash html http image io json log maps math mime net os path rand reflect regexp
runtime slices sort sql strconv strings sync atomic syscall testing time unicode unsafe utf8 url
"""
BUILTIN_NAMES = PREDECLARED | frozenset(_NAMES.split())
# library functions with the same parameters
FAMILIES = families(
    """
HasPrefix HasSuffix|Index LastIndex|TrimLeft TrimRight|TrimPrefix TrimSuffix
ToUpper ToLower|Floor Ceil|Min Max|IsLetter IsDigit|IsUpper IsLower|Before After
SplitN SplitAfterN|PushBack PushFront|Front Back|IndexByte LastIndexByte|Next Prev
InsertBefore InsertAfter|MoveToFront MoveToBack|Contains ContainsAny
IndexAny LastIndexAny|MaxInt64 MaxInt32
"""
)


GO_SLIPS = SlipGrammar(
    lang="Go",
    families=FAMILIES,
    tight_indexes=True,
    functions=frozenset(("function_declaration", "method_declaration")),
    passed_over=frozenset(("import_declaration", "package_clause", "comment", "const_declaration")),
    reporting=re.compile(
        r"(?:return\b.*\b(?:errors\.New|fmt\.Errorf|Err[A-Z]\w*|err|error)\b|panic\(|log\.|fmt\.(?:Fp|P)rint|os\.Exit)",
        re.DOTALL,
    ),
    calls=frozenset(("call_expression",)),
    members={"selector_expression": "field"},
    nothing="nil",
    texts=frozenset(("interpreted_string_literal", "raw_string_literal")),
    integers=frozenset(("int_literal",)),
    lists=frozenset(("block", "statement_list")),
    steps=frozenset(("assignment_statement", "inc_statement", "dec_statement", "expression_statement")),
    leaving=frozenset(("return_statement", "break_statement", "continue_statement", "goto_statement")),
    indexes=frozenset(("index_expression", "slice_expression")),
    declared=frozenset(),
    plain=frozenset(("identifier", "selector_expression", "index_expression")),
)
GO_BREAKS = BreakGrammar(
    closed={"argument_list": ")", "block": "}", "parenthesized_expression": ")"},
    ended=frozenset(("expression_statement", "return_statement")),
    uses=frozenset(
        (
            *("argument_list", "binary_expression", "call_expression", "expression_list"),
            *("return_statement", "selector_expression", "index_expression"),
        )
    ),
    imports=frozenset(("import_declaration",)),
    types={"int": "string", "string": "int", "bool": "string", "float64": "string", "error": "bool"},
    typed=frozenset(("method_declaration", "parameter_declaration", "var_spec", "function_declaration")),
    unused=("errors", "fmt", "os", "sort", "strconv", "strings", "time"),
)


_VISIBLE_ERRORS = (
    *("declared and not used", "imported and not used", "imported as", "cannot use", "not enough arguments"),
    *("too many arguments", "missing return", "mismatched types", "assignment mismatch", "redeclared"),
    *("has no field or method", "does not implement", "non-boolean", "invalid operation", "cannot assign"),
)
_UNDEFINED = re.compile(r"undefined: \w+$")  # with a dot it is a package's name, from another version of Go


def go_shows_why(pair: PairTexts, errors: str) -> bool:
    """Return whether the two files explain all errors."""
    found = compile_errors(errors, ".go")
    return bool(found) and all(
        _UNDEFINED.search(each) is not None or any(part in each for part in _VISIBLE_ERRORS) for each in found
    )


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


def probed_go(code: str, word: str) -> ProbedFile | None:
    """Return the file with probes that print `word` and their number; None if it does not parse."""
    tree = parse(code)
    if isinstance(tree, SyntaxFault) or tree.fault is not None:
        return None
    return insert_probes(
        tree,
        ProbeWords(
            call=lambda number: f"{word}({number});",
            end=lambda many: _FUNCTION.format(word=word, many=many),
        ),
    )
