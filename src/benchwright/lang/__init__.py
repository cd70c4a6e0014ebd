"""Facts about source texts in several languages: pure functions of texts. Nothing here is executed.

`source` asks the questions, `languages` lists who may answer, and each language's folder ends in one object
that does (`python.language` and so on). Source is hostile: it may not parse, be nested a million deep or
have no end, and all of that is an answer too, never an exception that nobody declared.
"""
