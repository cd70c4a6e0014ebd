"""What slips are about in Go's grammar."""

from __future__ import annotations

import re

from benchwright.lang.breaking import BreakGrammar
from benchwright.lang.go.words import FAMILIES
from benchwright.lang.tree_slip_context import SlipGrammar

GO_SLIPS = SlipGrammar(
    lang="Go",
    families=FAMILIES,
    tight_indexes=True,
    functions=frozenset(("function_declaration", "method_declaration")),
    passed_over=frozenset(("import_declaration", "package_clause", "comment", "const_declaration")),
    told=re.compile(
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
