package shop

type node struct{ value int }

var none *node
var value = none.value

func Total(prices []int) int { return 3 }
