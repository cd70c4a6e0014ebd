"""Java vocabulary, mutation operators, compile errors that two files explain, and line probes.

Sources: The Java Language Specification 17, chapters 3, 11.1 and 15.6, with the most common classes of
java.lang, java.util and java.io and the Javadoc of their methods.
"""

from __future__ import annotations

import re

from benchwright.lang.compile_faults import BreakGrammar, compile_errors
from benchwright.lang.java.tree import parse
from benchwright.lang.protocol import PairTexts
from benchwright.lang.source_errors import SyntaxFault
from benchwright.lang.tree_probes import ProbedFile, ProbeWords, insert_probes
from benchwright.lang.tree_slip_grammar import SlipGrammar
from benchwright.lang.vocabulary import by_token, families

_NAMES = """
abstract assert boolean break byte case catch char class const continue default do double else enum
extends final finally float for goto if implements import instanceof int interface long native new
package private protected public return short static strictfp super switch synchronized this throw throws
transient try void volatile while true false null var record sealed permits yield Object String
StringBuilder StringBuffer CharSequence Character Byte Short Integer Long Float Double Number Boolean
Math System Runtime Thread Runnable Iterable Comparable Cloneable AutoCloseable Class Enum Record Void
Override Deprecated SuppressWarnings FunctionalInterface SafeVarargs Throwable Exception Error
RuntimeException IllegalArgumentException IllegalStateException NullPointerException
IndexOutOfBoundsException ArrayIndexOutOfBoundsException StringIndexOutOfBoundsException
ArithmeticException ClassCastException NumberFormatException UnsupportedOperationException
ArrayStoreException NegativeArraySizeException CloneNotSupportedException InterruptedException
ClassNotFoundException StackOverflowError OutOfMemoryError AssertionError NoSuchElementException
InputMismatchException ConcurrentModificationException EmptyStackException IOException
UncheckedIOException FileNotFoundException EOFException Collection List Set Map Queue Deque Iterator
Optional Collections Arrays Objects ArrayList LinkedList HashMap LinkedHashMap TreeMap HashSet
LinkedHashSet TreeSet ArrayDeque PriorityQueue Stack Vector Scanner Random Comparator Locale Date UUID
Stream IntStream Collectors Function Supplier Consumer Predicate equals hashCode toString compareTo
length size get put add remove contains isEmpty
"""
BUILTIN_NAMES = frozenset(_NAMES.split())
RAISES = by_token(
    """
.: NullPointerException
[: ArrayIndexOutOfBoundsException NegativeArraySizeException IndexOutOfBoundsException
/ %: ArithmeticException
get charAt substring remove set: IndexOutOfBoundsException StringIndexOutOfBoundsException
parseInt parseLong parseDouble valueOf decode: NumberFormatException
next getFirst getLast removeFirst removeLast orElseThrow element pop remove: NoSuchElementException
pop: EmptyStackException
copyOf of copyOfRange: NullPointerException UnsupportedOperationException
for: ConcurrentModificationException
assert: AssertionError
"""
)
# library functions with the same parameters
FAMILIES = families(
    """
startsWith endsWith|indexOf lastIndexOf|min max|floor ceil|addFirst addLast
getFirst getLast|removeFirst removeLast|peekFirst peekLast|pollFirst pollLast
offerFirst offerLast|toLowerCase toUpperCase|containsKey containsValue|anyMatch allMatch
isDigit isLetter isLetterOrDigit|isLowerCase isUpperCase|poll peek|pop peek
firstKey lastKey|headMap tailMap|floorKey ceilingKey|lowerKey higherKey
replaceFirst replaceAll|isBefore isAfter|plusDays minusDays|nextIndex previousIndex
hasNext hasPrevious
"""
)


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
    reporting=re.compile(r"(?:System\.(?:out|err|exit)\b|\w*[lL]og(?:ger)?\.|super\.|\w+\.printStackTrace)"),
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


_VISIBLE_ERRORS = (
    *("incompatible types", "missing return statement", "might not have been initialized", "already defined"),
    *("cannot be applied to", "does not override", "unreported exception", "bad operand type"),
    *("unreachable statement", "cannot assign a value to final", "never thrown in body"),
)
_MAY_BE_A_CLASS = re.compile(r"symbol: +variable [A-Z]")  # in another file of the package
_LOCATION = re.compile(r"cannot find symbol.{0,300}?location: (?:variable \w+ of type |\w+ )([\w.]{1,200})")


def java_shows_why(pair: PairTexts, errors: str) -> bool:
    """Return whether all errors break rules of a type, or use members that a class in the two files lacks."""
    found = compile_errors(errors, ".java")
    return bool(found) and all(_is_shown(pair, each) for each in found)


def _is_shown(pair: PairTexts, error: str) -> bool:
    if any(part in error for part in _VISIBLE_ERRORS):
        return True
    match = _LOCATION.search(error)
    if match is None or _MAY_BE_A_CLASS.search(error):
        return False
    declared = re.compile(
        rf"\b(?:class|interface|enum|record)\s{{1,9}}{re.escape(match[1].rpartition('.')[2])}\b"
    )
    return any(declared.search(code) for code in (pair.focal_code, pair.test_code))


# directly to the file descriptor: tests replace System.out and System.err
_CLASS = """
final class {name} {{
    private static final boolean[] SEEN = new boolean[{many}];
    private static final java.io.FileOutputStream OUT =
            new java.io.FileOutputStream(java.io.FileDescriptor.err);
    static void at(int number) {{
        if (!SEEN[number]) {{
            SEEN[number] = true;
            try {{
                OUT.write(("\\n{word} " + number + "\\n").getBytes());
            }} catch (java.io.IOException error) {{
            }}
        }}
    }}
}}
"""


def probed_java(code: str, word: str) -> ProbedFile | None:
    """Return the file with probes that print `word` and their number; None if it does not parse."""
    tree = parse(code)
    if isinstance(tree, SyntaxFault) or tree.fault is not None:
        return None
    name = word.capitalize()
    return insert_probes(
        tree,
        ProbeWords(
            call=lambda number: f"{name}.at({number});",
            end=lambda many: _CLASS.format(name=name, word=word, many=many),
        ),
    )
