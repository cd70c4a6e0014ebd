"""Documentation comments by their styles: what each documents, with lines. `reading` asks.

Texts come without comment markers and dedented, as `lang.comments` gives them. Nothing here raises for what
a text holds, and each costs time in proportion to its length.
"""
