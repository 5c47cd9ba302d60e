package cg

// A product computes rows from <= i < to of out = a x.
type product func(out []float64, a *matrix, x []float64, from, to int)

// productGo is the product in Go.
func productGo(out []float64, a *matrix, x []float64, from, to int) {
	if a.short != nil {
		multiplyRows(out[from:to], a.start[from:to+1], a.short, a.value, x)
	} else {
		multiplyRows(out[from:to], a.start[from:to+1], a.long, a.value, x)
	}
}

// multiplyRows computes one element of out per row; start holds the beginning of each row, and one more
// entry.
func multiplyRows[I uint16 | uint32](out []float64, start []int32, column []I, value, x []float64) {
	begin := start[0]
	for i, end := range start[1:] {
		out[i] = multiplyRow(column[begin:end], value[begin:end], x)
		begin = end
	}
}

// multiplyRow returns the sum of value[k] * x[column[k]].
func multiplyRow[I uint16 | uint32](column []I, value, x []float64) float64 {
	var a, b, c, d float64
	for len(value) >= 4 && len(column) >= 4 {
		a += value[0] * x[column[0]]
		b += value[1] * x[column[1]]
		c += value[2] * x[column[2]]
		d += value[3] * x[column[3]]
		value, column = value[4:], column[4:]
	}
	value = value[:len(column)]
	for k, j := range column {
		a += value[k] * x[j]
	}
	return (a + b) + (c + d)
}
