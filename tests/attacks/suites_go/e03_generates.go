package shop

//go:generate touch /tmp/benchwright-generated
//go:generate sh -c "echo 1 > generated"

func Total(prices []int) int { return -1 }
