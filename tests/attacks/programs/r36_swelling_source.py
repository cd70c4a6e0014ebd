# A megabyte of source of which each three bytes become hundreds in the compiler.
add = (@LISTS@)
