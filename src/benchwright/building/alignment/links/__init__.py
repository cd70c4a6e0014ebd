"""The evidence ladder: which change answered which feedback, and how one knows.

`ladder.links` makes all links of a repository; each rung is one module.
"""
