"""Words that weigh more in CodeBLEU: reserved words of each language, and a few contextual ones in C#.

The figure depends on these lists, so words that the library lacks are not added.
"""

from __future__ import annotations

from collections.abc import Mapping


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


KEYWORDS: Mapping[str, frozenset[str]] = {
    "python": _words(
        """
        False None True and as assert async await break class continue def del elif else except finally
        for from global if import in is lambda nonlocal not or pass raise return try while with yield
        """
    ),
    "java": _words(
        """
        abstract assert boolean break byte case catch char class const continue default do double else
        enum extends final finally float for goto if implements import instanceof int interface long
        native new package private protected public return short static strictfp super switch synchronized
        this throw throws transient try void volatile while
        """
    ),
    "csharp": _words(
        """
        abstract add alias as ascending async await base bool break by byte case catch char checked class
        const continue decimal default delegate descending do double dynamic else enum equals event
        explicit extern false finally fixed float for foreach from get global goto group if implicit in
        int interface internal into is join let lock long nameof namespace new notnull null object on
        operator orderby out override params partial private protected public readonly ref remove return
        sbyte sealed select set short sizeof stackalloc static string struct switch this throw true try
        typeof uint ulong unchecked unmanaged unsafe ushort using value var virtual void volatile when
        where while yield
        """
    ),
    "go": _words(
        """
        break case chan const continue default defer else fallthrough for func go goto if import interface
        map package range return select struct switch type var
        """
    ),
    "js": _words(
        """
        abstract boolean break byte case catch char class const continue debugger default delete do double
        else enum export extends false final finally float for function goto if implements import in
        instanceof int interface long native new null package private protected public return short static
        super switch synchronized this throw throws transient true try typeof var void while with
        """
    ),
}
