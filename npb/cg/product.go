package cg

// product computes rows from <= i < to of out = a x.
func product(out []float64, a *matrix, x []float64, from, to int) {
	if from >= to {
		return
	}
	start := a.start[from : to+1]
	out = out[from:to]
	begin := start[0]
	for i, end := range start[1:] {
		value := a.value[begin:end]
		column := a.column[begin:end]
		out[i] = rowGo(value, column, x)
		begin = end
	}
}

// rowGo returns the sum of value[k] * x[column[k]].
func rowGo(value []float64, column []int32, x []float64) float64 {
	var a, b, c, d float64
	for len(value) >= 4 && len(column) >= 4 {
		a += value[0] * x[uint32(column[0])]
		b += value[1] * x[uint32(column[1])]
		c += value[2] * x[uint32(column[2])]
		d += value[3] * x[uint32(column[3])]
		value, column = value[4:], column[4:]
	}
	for k, j := range column {
		a += value[k] * x[uint32(j)]
	}
	return (a + b) + (c + d)
}
