"""The gate of comment tasks: edits of comments only, and edits of code that look like them."""

from __future__ import annotations

from benchwright.lang.comment_reading import CodeChange, first_change, read_comments

# Edits by language: a name, the text as given, the text that came back.
ALLOWED = {
    "Python": [
        ("comment above", "x = 1\n", "# one\nx = 1\n"),
        ("comment behind", "x = 1\n", "x = 1  # one\n"),
        ("comment of another indent", "if a:\n    # b\n    c()\n", "if a:\n  # b\n    c()\n"),
        ("comment at the margin of a block", "if a:\n    b()\n    c()\n", "if a:\n    b()\n# c\n    c()\n"),
        ("comment that looks like code", "x = 1\n", "# y = 2; import os\nx = 1\n"),
        ("comment in brackets", "f(a, b)\n", "f(a,  # first\n  b)\n"),
        ("comment in a dict over lines", "d = {\n  1: 2,\n}\n", "d = {\n  # one\n  1: 2,  # two\n}\n"),
        ("docstring added", "def f():\n    return 1\n", 'def f():\n    """One."""\n    return 1\n'),
        ("docstring changed", "def f():\n    'a'\n    return 1\n", 'def f():\n    """B\n    c"""\n    return 1\n'),
        ("docstring removed", "class A:\n    'a'\n    x = 1\n", "class A:\n    x = 1\n"),
        ("docstring of an async method", "class A:\n  async def f(s): \n    await s\n", "class A:\n  async def f(s): \n    r'a'\n    await s\n"),
        ("docstring of the file", "import a\n", '"""About."""\n\nimport a\n'),
        ("docstring of one line's class", "class E(Exception): 'a'\n", "class E(Exception): '''b'''  # c\n"),
        ("docstring in parts", "def f():\n  return 1\n", "def f():\n  'a' \\\n  'b'\n  return 1\n"),
        ("docstring of a function beside a read one", "print(__doc__)\ndef f():\n  pass\n", "print(__doc__)\ndef f():\n  'a'\n  pass\n"),
        ("CRLF to LF", "if a:\r\n    b()\r\n", "if a:\n    b()\n"),
        ("CR to LF", "a()\rb()\r", "a()\nb()\n"),
        ("CRLF in a string over lines", "x = '''a\r\nb'''\r\n", "x = '''a\nb'''\n"),
        ("blank lines", "a()\nb()\n", "a()\n\n\n  \nb()\n\n"),
        ("trailing spaces", "a()\nb()\n", "a()   \nb()\t\n"),
        ("no line end at the end", "a()\n", "a()"),
        ("spaces in a line", "f(a,b)\n", "f( a , b )\n"),
        ("wider indent", "if a:\n  b()\n", "if a:\n        b()\n"),
        ("tabs in a comment", "if a:\n    b()\n", "if a:\n \t # \t tab\n    b()\n"),
        ("form feed between functions", "a()\nb()\n", "a()\n\f\n# b\nb()\n"),
        ("byte order mark", "\ufeffa()\n", "a()\n"),
        ("directive kept, with others around", "x = 1  # noqa\n", "# x\nx = 1  # noqa\n"),
        ("method dedented as a whole", "    def f(self):\n        return 1\n", "def f(self):\n    # a\n    return 1\n"),
        ("lambda before a colon", "x = lambda: 'a'\n", "x = lambda: 'a'  # b\n"),
        ("comment with a bidirectional mark", "a()\n", "a()  # \u202e\n"),
    ],
    "Java": [
        ("all kinds of comments", "class A { int x; }", "/** A. */\nclass A { // a\n  /* b */ int x; }"),
        ("comment that looks like code", "a();", "/* b(); */ a(); // c();"),
        ("comment with quotes", "a();", 'a(); // don\'t "do'),
        ("comment within an expression", "int x = a + b;", "int x = a /* one */ + b;"),
        ("any line ends", "return a;", "return\n  a;\n"),
        ("CRLF to LF", "a();\r\nb();\r\n", "a();\nb();\n"),
        ("CRLF in a text block", 'String s = """\r\n  a\r\n  """;', 'String s = """\n  a\n  """;'),
        ("tabs and blank lines", "a();\nb();", "\ta();\n\n\f\n    b();"),
        ("Javadoc changed", "/** a */ int f() { return 1; }", "/**\n * B.\n * @return one\n */\nint f() { return 1; }"),
        ("harmless escape in a comment", "a();", "// caf\\u00e9 \\\\u12\na();"),
        ("type arguments apart", "List<List<A>> a;", "List<List<A> /* a */ > a;"),
        ("slashes in a string", 'String s = "// a";', 'String s = "// a"; // b'),
        ("suppression kept", "a(); // NOSONAR\n", "// why\na(); // NOSONAR\n"),
    ],
    "Go": [
        ("all kinds of comments", "package a\n\nfunc f() int {\n\treturn 1\n}\n", "// Package a is.\npackage a\n\n// f is.\nfunc f() int { // b\n\t/* c */ return 1\n}\n"),
        ("block comment over lines on its own", "package a\nvar x = 1\n", "package a\n\n/*\nx is.\n*/\nvar x = 1\n"),
        ("block comment over lines at a line's end", "package a\nvar x = 1\nvar y = 2\n", "package a\nvar x = 1 /* a\nb */\nvar y = 2\n"),
        ("body over lines", "package a\nfunc f() int { return 1 }\n", "package a\nfunc f() int {\n\t// one\n\treturn 1\n}\n"),
        ("comment within a call", "package a\nvar x = f(1,\n\t2)\n", "package a\nvar x = f(1, // one\n\t2)\n"),
        ("comment after an operator", "package a\nvar x = 1 +\n\t2\n", "package a\nvar x = 1 + // one\n\t2\n"),
        ("CRLF to LF", "package a\r\nvar x = `a\r\nb`\r\n", "package a\nvar x = `a\nb`\n"),
        ("tabs and trailing spaces", "package a\nfunc f() {\n\tg()\n}\n", "package a\nfunc f() {\n    g()   \n}\n"),
        ("directive kept", "package a\n\n//go:noinline\nfunc f() {}\n", "package a\n\n// f does.\n//\n//go:noinline\nfunc f() {}\n"),
        ("indented words that begin like a directive", "package a\nfunc f() {\n\tg()\n}\n", "package a\nfunc f() {\n\t//go:es there\n\tg()\n}\n"),
        ("slashes in a string", 'package a\nvar x = "// a"\n', 'package a\nvar x = "// a" // b\n'),
        ("no line end at the end", "package a\nvar x = 1\n", "package a\nvar x = 1 // a"),
        ("output named outside of an example", "package a\nfunc f() {\n}\n", "package a\nfunc f() {\n\t// Output: 1\n}\n"),
    ],
    "JavaScript": [
        ("all kinds of comments", "function f() { return 1; }", "/** f. */\nfunction f() { // a\n  /* b */ return 1; }"),
        ("comment in a template's field", "a = `x ${y} z`;", "a = `x ${y /* why */} z`; // t"),
        ("comment within an expression", "a = b + c;", "a = b + // one\n  c;"),
        ("object over lines", "a = { b: 1 };", "a = {\n  // one\n  b: 1\n};"),
        ("comment before a bracket", "a = b;\n(c)();", "a = b; // b\n(c)();"),
        ("comment after a semicolon that is left out", "a = 1\nb = 2\n", "a = 1 // one\n/* two */\nb = 2\n"),
        ("CRLF in a template", "a = `x\r\ny`;\r\n", "a = `x\ny`;\n"),
        ("tabs and blank lines", "a();\nb();", "\ta();\n\n  b();\n"),
        ("slashes in a regular expression", "a = /\\/\\/x/g;", "a = /\\/\\/x/g; // b"),
        ("slashes in a class of a regular expression", "a = /[/]/g; b = 1;", "a = /[/]/g; /* c */ b = 1;"),
        ("division", "a = b / c / d;", "a = b / c /* e */ / d;"),
        ("text between tags untouched", "a = <b>// c</b>;", "a = <b>// c</b>; // d"),
        ("directive kept", "// eslint-disable-next-line\na();", "/* a */\n// eslint-disable-next-line\na();"),
        ("body over lines", "if (a) { return }", "if (a) {\n  // b\n  return\n}"),
        ("increment over lines", "a(); ++b;", "a();\n// c\n++b;"),
    ],
}  # fmt: skip
FORBIDDEN = {
    "Python": [
        ("name", "x = 1\n", "y = 1\n"),
        ("statement moved into a block", "if a:\n    b()\nc()\n", "if a:\n    b()\n    c()\n"),
        ("statement moved out of a block", "if a:\n    b()\n    c()\n", "if a:\n    b()\nc()\n"),
        ("else of another if", "if a:\n  if b:\n    c\n  else:\n    d\n", "if a:\n  if b:\n    c\nelse:\n    d\n"),
        ("end of a string that holds a mark", "x = 'a # b'\n", "x = 'a' # b'\n"),
        ("string that holds a mark", "x = '# a'\n", "x = '# b'\n"),
        ("f-string that holds a mark", "x = f'{a} # b'\n", "x = f'{a} # c'\n"),
        ("blank in a string", "x = 'a  b'\n", "x = 'a b'\n"),
        ("trailing blank in a string over lines", "x = '''a \nb'''\n", "x = '''a\nb'''\n"),
        ("semicolon", "x = 1\n", "x = 1;\n"),
        ("lines joined by a semicolon", "a()\nb()\n", "a(); b()\n"),
        ("operator", "x = a - b\n", "x = a + b\n"),
        ("operators glued", "x = a * * b\n", "x = a ** b\n"),
        ("string prefix", "x = 'a'\n", "x = r'a'\n"),
        ("bytes in place of a docstring", "def f():\n    return 1\n", "def f():\n    b'a'\n    return 1\n"),
        ("f-string in place of a docstring", "def f():\n    return 1\n", "def f():\n    f'{g()}'\n    return 1\n"),
        ("quotes", "x = 'a'\n", 'x = "a"\n'),
        ("spelling of a number", "x = 1000\n", "x = 1_000\n"),
        ("number in hexadecimal", "x = 16\n", "x = 0x10\n"),
        ("order of statements", "a()\nb()\n", "b()\na()\n"),
        ("identifier that looks alike", "scope = 1\n", "s\u0441ope = 1\n"),
        ("identifier that is normalised", "fi = 1\n", "\ufb01 = 1\n"),
        ("string as a statement", "a()\nb()\n", "a()\n'about b'\nb()\n"),
        ("docstring called", "def f():\n    return 1\n", "def f():\n    'a'.join(g())\n    return 1\n"),
        ("docstring joined by an operator", "def f():\n    return 1\n", "def f():\n    'a' % g()\n    return 1\n"),
        ("docstring that the file reads", "'''a'''\nprint(__doc__)\n", "'''b'''\nprint(__doc__)\n"),
        ("docstring that is read from a function", "def f():\n  'a'\nprint(f.__doc__)\n", "def f():\n  'b'\nprint(f.__doc__)\n"),
        ("docstring removed that is read", "def f():\n  'a'\n  g()\nprint(getattr(f, '__doc__'))\n", "def f():\n  g()\nprint(getattr(f, '__doc__'))\n"),
        ("docstring given to another function", "def f():\n  'a'\n  x\ndef g():\n  x\nf.__doc__\n", "def f():\n  x\ndef g():\n  'a'\n  x\nf.__doc__\n"),
        ("docstring that doctest runs", "import doctest\ndef f():\n  pass\n", "import doctest\ndef f():\n  '>>> g()'\n  pass\n"),
        ("directive added", "x = 1\n", "x = 1  # type: ignore\n"),
        ("directive removed", "x = 1  # noqa\n", "x = 1\n"),
        ("directive moved", "x = 1  # noqa\ny = 2\n", "x = 1\n# noqa\ny = 2\n"),
        ("shebang removed", "#!/usr/bin/env python\na()\n", "# a\na()\n"),
        ("shebang pushed down", "#!/usr/bin/env python\na()\n", "# a\n#!/usr/bin/env python\na()\n"),
        ("encoding declared", "a()\n", "# -*- coding: utf-7 -*-\na()\n"),
        ("encoding by chance", "a()\n", "# Encoding: the way of it\na()\n"),
        ("encoding pushed down", "# coding: latin-1\na()\n", "# a\n# b\n# coding: latin-1\na()\n"),
        ("script metadata", "# /// script\n# dependencies = []\n# ///\na()\n", '# /// script\n# dependencies = ["b"]\n# ///\na()\n'),
        ("line continued", "x = 1\n+ 2\n", "x = 1 \\\n+ 2\n"),
        ("comment after a backslash", "x = 1 + \\\n  2\n", "x = 1 + \\ # one\n  2\n"),
        ("comment within a continued line", "x = 1 + \\\n  2\n", "x = 1 + \\\n  # one\n  2\n"),
        ("code behind a carriage return", "a()\n", "# a\rb()\na()\n"),
        ("code behind a form feed", "a()\n", "a()\n\fb()\n"),
        ("unclosed string", "a()\n", "a()\n'''\n"),
        ("statement dropped with its comment", "a()  # a\nb()\n", "b()\n"),
        ("default of a parameter", "def f(a=1): pass\n", "def f(a=2): pass\n"),
        ("pass for a docstring", "def f():\n    pass\n", "def f():\n    'a'\n"),
        ("no answer", "a()\n", ""),
        ("NUL", "a()\n", "a()\n# \0\n"),
        ("lone surrogate", "a()\n", "a()  # \ud800\n"),
        ("indent by another tab", "if a:\n\tb()\n", "if a:\n        b()\n\tc()\n"),
    ],
    "Java": [
        ("escaped line end in a comment", "a();", "// see \\u000a b();\na();"),
        ("escaped carriage return in a comment", "a();", "// see \\u000d b();\na();"),
        ("escape with several marks", "a();", "// see \\uuu000a b();\na();"),
        ("escaped end of a comment", "a();", "/* see \\u002a/ b(); /* */ a();"),
        ("escaped slash at the end of a comment", "a();", "/* see *\\u002f b(); /* */ a();"),
        ("escaped comment", "a(); b();", "a(); \\u002f\\u002f b();"),
        ("escaped quote", 'f("a");', 'f("\\u0022); b("a");'),
        ("malformed escape in a comment", "a();", "// C:\\users\na();"),
        ("code behind a carriage return", "a();", "// a\rb();\na();"),
        ("blank in a text block", 'String s = """\n  a\n  """;', 'String s = """\n    a\n  """;'),
        ("blank in a string", 'f("a  b");', 'f("a b");'),
        ("brackets", "return a + b;", "return (a + b);"),
        ("braces", "if (a) b();", "if (a) { b(); }"),
        ("semicolon", "a();", "a();;"),
        ("operators glued", "x = a + + b;", "x = a ++ b;"),
        ("spelling of a number", "x = 10L;", "x = 10l;"),
        ("modifier", "class A { int x; }", "class A { final int x; }"),
        ("annotation", "void f() {}", "@Deprecated void f() {}"),
        ("suppression added", "a();", "a(); // NOSONAR"),
        ("suppression moved", "a(); // NOSONAR\nb();", "a();\n// NOSONAR\nb();"),
        ("identifier that looks alike", "int scope;", "int s\u0441ope;"),
        ("code within a comment", "a(); b();", "a(); /* b(); */"),
        ("comment closed early", "/* a */ b();", "/* a */ */ b();"),
        ("white space of another language", "a();", "a();\u200b"),
        ("code of a comment within a comment", "a();", "/* /* */ b(); // */\na();"),
    ],
    "Go": [
        ("line end after return", "package a\nfunc f() int { return 1 }\n", "package a\nfunc f() int { return\n1 }\n"),
        ("comment over lines after return", "package a\nfunc f() int { return 1 }\n", "package a\nfunc f() int { return /*\n*/ 1 }\n"),
        ("line end before an operator", "package a\nvar x = 1 - 2\n", "package a\nvar x = 1\n- 2\n"),
        ("comment over lines before an operator", "package a\nfunc f() { x = g() - 2 }\n", "package a\nfunc f() { x = g() /*\n*/ - 2 }\n"),
        ("line end before a call", "package a\nfunc f() { g(1) }\n", "package a\nfunc f() { g\n(1) }\n"),
        ("line end after a number with a point", "package a\nvar x = 1. - 2\n", "package a\nvar x = 1.\n- 2\n"),
        ("semicolon", "package a\nvar x = 1\n", "package a\nvar x = 1;\n"),
        ("directive added", "package a\nfunc f() {}\n", "package a\n//go:noinline\nfunc f() {}\n"),
        ("directive removed", "package a\n//go:noinline\nfunc f() {}\n", "package a\nfunc f() {}\n"),
        ("directive indented", "package a\n//go:noinline\nfunc f() {}\n", "package a\n  //go:noinline\nfunc f() {}\n"),
        ("build constraint", "//go:build linux\n\npackage a\n", "//go:build windows\n\npackage a\n"),
        ("line number", "package a\nvar x = 1\n", "package a\n//line b.go:1\nvar x = 1\n"),
        ("C of a preamble", "package a\n\n// int f();\nimport \"C\"\n", "package a\n\n// long f();\nimport \"C\"\n"),
        ("C in a preamble of a group", "package a\n\nimport (\n\t\"C\"\n)\n", "package a\n\nimport (\n\t// int f();\n\t\"C\"\n)\n"),
        ("output of an example", "package a\nfunc ExampleF() {\n\tf()\n}\n", "package a\nfunc ExampleF() {\n\tf()\n\t// Output: 1\n}\n"),
        ("carriage return in a string", 'package a\nvar x = "a\rb"\n', 'package a\nvar x = "ab"\n'),
        ("blank in a raw string", "package a\nvar x = `a  b`\n", "package a\nvar x = `a b`\n"),
        ("quotes", 'package a\nvar x = "a"\n', "package a\nvar x = `a`\n"),
        ("form feed", "package a\nvar x = 1\n", "package a\n\fvar x = 1\n"),
        ("byte order mark within", "package a\nvar x = 1\n", "package a\n// \ufeff\nvar x = 1\n"),
        ("NUL in a comment", "package a\n", "package a\n// \0\n"),
        ("label", "package a\nfunc f() { g() }\n", "package a\nfunc f() { L: g() }\n"),
        ("operator", "package a\nvar x = a &^ b\n", "package a\nvar x = a & ^b\n"),
        ("two slashes for one", "package a\nvar x = 4 / 2\n", "package a\nvar x = 4 // 2\n"),
    ],
    "JavaScript": [
        ("line end after return", "function f() { return a; }", "function f() { return\na; }"),
        ("comment over lines after return", "function f() { return a; }", "function f() { return /*\n*/ a; }"),
        ("comment after return", "function f() { return a; }", "function f() { return // why\na; }"),
        ("line end before an increment", "a = b; c; ++d", "a = b; c ++; d"),
        ("line end before a decrement", "while (n --> 0) f();", "while (n\n--> 0) f();"),
        ("comment over lines before a decrement", "while (n --> 0) f();", "while (n /*\n*/ --> 0) f();"),
        ("line end after throw", "throw a;", "throw\na;"),
        ("line end after break", "a: for (;;) { break a; }", "a: for (;;) { break\na; }"),
        ("line end after async", "async function f() {}", "async\nfunction f() {}"),
        ("line end before an arrow", "a = b => c;", "a = b\n=> c;"),
        ("semicolon", "a = 1\n", "a = 1;\n"),
        ("semicolon before a bracket", "a = b\n(c)()", "a = b\n;(c)()"),
        ("text of a template", "a = `x // y`;", "a = `x // z`;"),
        ("blank in a template", "a = `x  ${y}`;", "a = `x ${y}`;"),
        ("indent in a template", "a = `\n  x`;", "a = `\n    x`;"),
        ("comment in a template", "a = `x`;", "a = `x /* y */`;"),
        ("end of a regular expression", "a = /b\\/\\/c/;", "a = /b\\/ //c/;"),
        ("flags of a regular expression", "a = /b/g;", "a = /b/gi;"),
        ("division in place of a comment", "a = b / c / d;", "a = b // c / d;"),
        ("code behind a line separator", "a();", "// a\u2028b();\na();"),
        ("code behind a carriage return", "a();", "// a\rb();\na();"),
        ("comment of HTML", "a();\n", "a();\n<!-- b\n"),
        ("end of a comment of HTML", "a();\n", "a();\n--> b\n"),
        ("text between tags", "a = <b>c</b>;", "a = <b>c // d</b>;"),
        ("blank between tags", "a = <b> {c}</b>;", "a = <b>{c}</b>;"),
        ("directive added", "a();", "a(); // eslint-disable-line"),
        ("directive for bundlers", "a(b);", "a(/* webpackIgnore: true */ b);"),
        ("hash-bang", "a();", "#!/usr/bin/env node\na();"),
        ("use strict", "function f() { a(); }", "function f() { 'use strict'; a(); }"),
        ("quotes", "a = 'b';", 'a = "b";'),
        ("trailing comma", "a = [b];", "a = [b,];"),
        ("spelling of a number", "a = 0.5;", "a = .5;"),
        ("escape in an identifier", "abc();", "\\u0061bc();"),
        ("blank that is none", "a();", "a();\u200b"),
        ("var for let", "let a = 1;", "var a = 1;"),
        ("getter over lines", "class A { get a() {} }", "class A { get; a() {} }"),
    ],
}  # fmt: skip


def changes(table: dict[str, list[tuple[str, str, str]]]) -> dict[str, CodeChange | None]:
    """What is found of each edit, both ways, by its language, name and direction."""
    found = {}
    for lang, group in table.items():
        for name, before, after in group:
            found[f"{lang}: {name}"] = change(lang, before, after)
            found[f"{lang}: {name}, undone"] = change(lang, after, before)
    return found


def change(lang: str, before: str, after: str) -> CodeChange | None:
    return first_change(read_comments(before, lang), read_comments(after, lang))


def test_comments_and_white_space_change_no_code() -> None:
    """Edits of comments, docstrings and layout leave the code equal, in both directions."""
    assert {name: found for name, found in changes(ALLOWED).items() if found} == {}


def test_anything_else_does() -> None:
    """A change of code is found on either side, also inside text that looks like a comment."""
    assert [name for name, found in changes(FORBIDDEN).items() if found is None] == []


def test_the_first_change_is_told() -> None:
    """The line and the token of both sides."""
    assert change("Python", "a = 1\nb = 2\n", "# one\na = 1\nb = 3\n") == CodeChange(2, "`2`", 3, "`3`")
    assert str(change("Go", "package a\n", "package b\n")) == "line 1: `a` became `b`"
    assert str(change("Java", "a();", "a(); b();")) == "line 1: `b` was added"
    assert str(change("Java", "a(); b();", "a();")) == "line 1 as given: `b` is gone"
    assert (
        str(change("Java", "a();", "// \\u\na();"))
        == "line 1: a fault of syntax (malformed Unicode escape) was added"
    )
    assert change("Python", "a\n", "x" * 500).after == "`" + "x" * 79 + "…"  # type: ignore[union-attr]
    assert change("Python", "if a:\n  b\nc\n", "if a:\n  b\n  c\n") == CodeChange(3, "dedent", 3, "`c`")


def test_code_with_a_fault_can_be_compared() -> None:
    """Python 2 and fragments are compared by tokens; what has no fault becomes no code with one."""
    assert change("Python", "print 'a'\n", "# say\nprint 'a'\n") is None
    assert change("Python", "print 'a'\n", "print 'b'\n") is not None
    assert change("Python", "else:\n    a()\n", "else:\n    a()  # b\n") is None
    assert change("Java", "} else { a(); }", "} else { a(); /* b */ }") is None
    assert change("JavaScript", "f() { return 1; }", "f() {\n // one\n return 1; }") is None
