"""Facts about source texts in several languages: pure functions of texts. Nothing here is executed.

`source` asks, `languages` finds the language, and each language's folder ends in one object that answers
(`python.language` and so on). Source is hostile: it may not parse, or be nested a million levels deep; each
of that is a result and never an undeclared exception.
"""
