# An entry point that cannot be called.
add = 3
