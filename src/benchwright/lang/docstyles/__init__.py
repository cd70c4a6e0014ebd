"""Parse documentation comments by their styles; `reading` is the entry point.

Texts come dedented and without comment markers, as `lang.comment_reading` returns them. Nothing here raises
for the content of a text, and each parser takes time proportional to its length.
"""
