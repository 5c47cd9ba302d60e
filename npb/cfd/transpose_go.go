package cfd

// transposeArgs is one call of a transpose kernel: count columns of valid rows, for comps components,
// between a field with rows along x and a scratch in which the rows are lanes: [column][width][Lanes].
type transposeArgs struct {
	field, scratch []float64
	at             int
	row, comp      int // bytes
	comps          int
	count          int
	valid          int
	width          int // of a column of the scratch, in groups of lanes
}

// gatherGo fills the scratch from the field. Lanes beyond valid are undefined; here they repeat the last
// row.
func gatherGo(a *transposeArgs) {
	for m := range a.comps {
		for l := range Lanes {
			from := a.field[a.at+m*a.comp/8+min(l, a.valid-1)*a.row/8:][:a.count]
			to := a.scratch[m*Lanes+l:]
			for x, v := range from {
				to[x*a.width*Lanes] = v
			}
		}
	}
}

// scatterGo fills the field from the scratch.
func scatterGo(a *transposeArgs) {
	for m := range a.comps {
		for l := range a.valid {
			to := a.field[a.at+m*a.comp/8+l*a.row/8:][:a.count]
			from := a.scratch[m*Lanes+l:]
			for x := range to {
				to[x] = from[x*a.width*Lanes]
			}
		}
	}
}
