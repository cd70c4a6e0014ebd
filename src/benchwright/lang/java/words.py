"""Java vocabulary: builtin names, exceptions that operations raise, and easily confused functions.

Sources: The Java Language Specification 17, chapters 3, 11.1 and 15.6, with the most common
classes of java.lang, java.util and java.io and the Javadoc of their methods.
"""

from __future__ import annotations

from benchwright.lang.exceptions import by_token
from benchwright.lang.opposites import families

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
