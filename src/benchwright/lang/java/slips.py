"""What slips are about in Java's grammar."""

from __future__ import annotations

import re

from benchwright.lang.breaking import BreakGrammar
from benchwright.lang.java.words import FAMILIES
from benchwright.lang.tree_slip_context import SlipGrammar

JAVA_SLIPS = SlipGrammar(
    lang="Java",
    families=FAMILIES,
    tight_indexes=False,
    functions=frozenset(("method_declaration", "constructor_declaration")),
    passed_over=frozenset(
        (
            *("throw_statement", "assert_statement", "annotation", "marker_annotation", "import_declaration"),
            *("package_declaration", "explicit_constructor_invocation", "line_comment", "block_comment"),
        )
    ),
    told=re.compile(r"(?:System\.(?:out|err|exit)\b|\w*[lL]og(?:ger)?\.|super\.|\w+\.printStackTrace)"),
    calls=frozenset(("method_invocation", "object_creation_expression")),
    members={"method_invocation": "name", "field_access": "field"},
    nothing="null",
    texts=frozenset(("string_literal", "text_block")),
    integers=frozenset(("decimal_integer_literal",)),
    lists=frozenset(("block", "constructor_body", "switch_block_statement_group")),
    steps=frozenset(("expression_statement",)),
    leaving=frozenset(
        ("return_statement", "throw_statement", "break_statement", "continue_statement", "yield_statement")
    ),
    indexes=frozenset(("array_access",)),
    declared=frozenset(("variable_declarator", "assignment_expression")),
    plain=frozenset(("identifier", "field_access", "array_access")),
)
JAVA_BREAKS = BreakGrammar(
    closed={"argument_list": ")", "block": "}", "parenthesized_expression": ")"},
    ended=frozenset(("expression_statement", "local_variable_declaration", "return_statement")),
    uses=frozenset(
        (
            *("argument_list", "binary_expression", "method_invocation", "return_statement"),
            *("field_access", "array_access"),
        )
    ),
    imports=frozenset(("import_declaration",)),
    types={"int": "String", "long": "String", "double": "String", "boolean": "int", "String": "int"},
    typed=frozenset(("local_variable_declaration", "formal_parameter", "method_declaration")),
)
