"""The kinds of changes that rows of a data set are made with: slips that programmers make."""

from __future__ import annotations

SLIPS = {
    "compare": "a comparison the wrong way round, where no guard says what it is for",
    "boundary": "`<` for `<=` and the like",
    "logic": "`and` for `or`",
    "condition": "one of several conditions forgotten",
    "bound": "an index, bound, range or first value one off",
    "boolean": "True for False, as an argument or a first value",
    "operator": "another operator between numbers",
    "name": "a neighbour's name, or a neighbour's constant",
    "family": "another method or field of the same family",
    "arguments": "two arguments in the other order",
    "order": "two operands, results or steps in the other order",
    "case": "a branch, case or guard forgotten",
    "lost": "an update lost: a step left out, or a value replaced where it was added to",
}
