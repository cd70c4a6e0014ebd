"""Facts about Python, Java and Go source: pure functions of texts. Nothing here is executed.

Each module of this folder asks one question for all three languages; the folders `python`, `java` and
`go` hold the answers. Source is hostile: it may not parse, be nested a million deep or have no end, and
all of that is an answer too, never an exception that nobody declared.
"""
