"""Go vocabulary: builtin names, and easily confused functions.

Sources: The Go Programming Language Specification, "Predeclared identifiers" and "Keywords", with packages
of its library.
"""

from __future__ import annotations

from benchwright.lang.go.predeclared import PREDECLARED
from benchwright.lang.opposites import families

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
