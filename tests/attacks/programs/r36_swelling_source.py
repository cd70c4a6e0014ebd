# A megabyte of source: the compiler makes hundreds of bytes of each three.
add = (@LISTS@)
