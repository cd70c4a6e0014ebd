package shop

//line /etc/passwd:1
func Total(prices []int) int { return undefined }
