"""Python vocabulary: builtin names, exceptions that operations raise, and easily confused functions.

Sources: "Built-in Exceptions" of The Python Language Reference; builtins and the standard library of the
running version.
"""

from __future__ import annotations

import builtins
import keyword
import sys

from benchwright.lang.vocabulary import by_token, families

BUILTIN_NAMES = frozenset(dir(builtins)).union(
    (*keyword.kwlist, *keyword.softkwlist, "self", "cls"), sys.stdlib_module_names
)
RAISES = by_token(
    """
/ // %: ZeroDivisionError
[: IndexError KeyError TypeError
.: AttributeError
open: OSError IOError FileNotFoundError PermissionError IsADirectoryError UnicodeDecodeError
next: StopIteration
int float max min index remove: ValueError
pop: IndexError KeyError
import: ImportError ModuleNotFoundError
+ - * += -= < > <= >= len int float sorted sum: TypeError
** exp: OverflowError
decode: UnicodeDecodeError
encode: UnicodeEncodeError
loads load: JSONDecodeError ValueError
assert: AssertionError
"""
)
# library functions with the same parameters
FAMILIES = families(
    """
startswith endswith|find rfind|index rindex|split rsplit|partition rpartition
ljust rjust|lstrip rstrip strip|upper lower|islower isupper|isdigit isalpha isalnum
append appendleft|pop popleft|extend extendleft|min max|any all|floor ceil|keys values
bisect_left bisect_right|insort_left insort_right|intersection union difference
match fullmatch|issubset issuperset|nlargest nsmallest|removeprefix removesuffix|get pop
append extend
"""
)
