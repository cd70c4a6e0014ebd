"""Names that every program of a language may use without declaring them, for texts that mention names.

Python's are those of the running version. Others: The Java Language Specification 17, chapter 3, with classes
of java.lang, java.util and java.io that are met most; The Go Programming Language Specification,
"Predeclared identifiers" and "Keywords", with packages of its library; ECMA-262, chapters 12 and 19;
the TypeScript Handbook, "Utility Types".
"""

from __future__ import annotations

import builtins
import keyword
import sys
from functools import cache

from benchwright.lang.go.predeclared import PREDECLARED

_JAVA = """
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
_GO = """
break case chan const continue default defer else fallthrough for func go goto if import interface map
package range return select struct switch type var Error bufio bytes context crypto encoding errors
expvar filepath flag fmt hash html http image io json log maps math mime net os path rand reflect regexp
runtime slices sort sql strconv strings sync atomic syscall testing time unicode unsafe utf8 url
"""
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
_TYPESCRIPT = """
abstract any as asserts declare enum implements infer interface is keyof module namespace never private
protected public readonly satisfies type
unknown unique void Partial Required Readonly Record Pick Omit Exclude Extract
NonNullable Parameters ReturnType InstanceType Awaited Iterable ReadonlyArray PromiseLike
"""


def _python() -> frozenset[str]:
    keywords = (*keyword.kwlist, *keyword.softkwlist, "self", "cls")
    return frozenset(dir(builtins)).union(keywords, sys.stdlib_module_names)


@cache
def builtin_names(lang: str) -> frozenset[str]:
    """The names of a language, under the name that `languages` has for it; none of one that is unknown."""
    if lang == "Python":
        return _python()
    if lang == "Go":
        return PREDECLARED | frozenset(_GO.split())
    if lang == "TypeScript":
        return frozenset((_JAVASCRIPT + _TYPESCRIPT).split())
    return frozenset({"Java": _JAVA, "JavaScript": _JAVASCRIPT}.get(lang, "").split())
