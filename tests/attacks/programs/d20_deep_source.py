# A source nested so deep that the compiler gives up.
add = @DEEP@
