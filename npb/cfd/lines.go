package cfd

// Lines is a kernel's method to solve systems along the lines of a direction: the state that elimination
// leaves at each point, and the two passes.
type Lines struct {
	Width int // state of a point, in values per line
	Y     int // index in the state of the five right-hand sides, which become the solution
	Lead  int // how many points a row of the system extends to either side

	Forward  [3]func(*LineArgs) // eliminate, per direction: fills the state from the first point on
	Backward [3]func(*LineArgs) // substitute, per direction; stores the result in R (or adds to U)

	Needs [][2]int     // ranges [from, to) of components of the states that elimination reads
	Frame []float64    // the passes' constants and spill area, which they write to; see NewFrame
	Rows  [3][]float64 // per direction: RowWidth numbers for each global index
}

// RowWidth is the number of coefficients of a row in Lines.Rows.
const RowWidth = 5

// LineArgs is one call of a pass: up to Lanes lines at once, over the n interior
// points of a cell along the direction. Distances are in bytes. The assembly reads
// it by offsets, which a test compares with the generator's.
type LineArgs struct {
	U, R, State  []float64
	Frame, Rows  []float64 // Frame is written to
	UAt          int       // first point, component 0
	UComp, UStep int       // distance of components, and of points along the line
	RAt          int
	RComp, RStep int
	StateAt      int // first point; Lead points before it and after the last exist
	StateStep    int
	RowsAt       int
	N            int
	Valid        int // number of valid lines; results of the others must not be stored
}

// group is up to Lanes lines of a cell.
type group struct {
	i, j, k int // the first interior point of the first line
	valid   int
}

// groups cuts the lines of a box in direction d: along x for y and z lines, along
// y for x lines.
func (b *Box) groups(d int) []group {
	lo, hi := [3]int{}, [3]int{}
	for e := range lo {
		lo[e], hi[e] = b.Inside(e)
	}
	lane := 0
	if d == 0 {
		lane = 1
	}
	other := 3 - d - lane
	var gs []group
	for o := lo[other]; o < hi[other]; o++ {
		for l := lo[lane]; l < hi[lane]; l += Lanes {
			at := lo
			at[other], at[lane] = o, l
			gs = append(gs, group{at[0], at[1], at[2], min(Lanes, hi[lane]-l)})
		}
	}
	return gs
}

// Halves combines passes over half of Lanes lines to passes over Lanes lines.
func Halves(pass ...func(*LineArgs)) (both [3]func(*LineArgs)) {
	for d := range both {
		half := pass[d]
		both[d] = func(a *LineArgs) {
			half(a)
			a.UAt, a.RAt, a.StateAt, a.Valid = a.UAt+Lanes/2, a.RAt+Lanes/2, a.StateAt+Lanes/2, a.Valid-Lanes/2
			half(a)
			a.UAt, a.RAt, a.StateAt, a.Valid = a.UAt-Lanes/2, a.RAt-Lanes/2, a.StateAt-Lanes/2, a.Valid+Lanes/2
		}
	}
	return both
}
