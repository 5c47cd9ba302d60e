package cfd

// laneTable holds constants in the form for vector loops: each repeated Lanes times or, for the dissipation
// coefficients, lane by lane along a run. Equal entries are stored once, so that the table stays in the
// first-level cache.
type laneTable struct {
	data  []float64
	known map[[Lanes]int8]int // by the kinds of the rows of a direction, see kindOf
}

// Kinds of rows of the dissipation at interior points: the four next to the
// boundary, and the others.
const (
	kindFirst = iota
	kindSecond
	kindInner
	kindLastButOne
	kindLast
	kinds
)

func kindOf(n, g int) int8 {
	switch g {
	case 1:
		return kindFirst
	case 2:
		return kindSecond
	case n - 3:
		return kindLastButOne
	case n - 2:
		return kindLast
	}
	return kindInner
}

// rows returns the byte offset of five groups of lanes: the coefficients, for the
// offsets -2..+2, of the dissipation in direction d at the global indices g.
// Second differences are included: both kinds act on U itself.
func (t *laneTable) rows(n, d int, scale float64, g [Lanes]int) int {
	var key [Lanes]int8
	for l := range g {
		key[l] = kindOf(n, g[l]) + int8(d*kinds)
	}
	if at, ok := t.known[key]; ok {
		return at
	}
	if t.known == nil {
		t.known = map[[Lanes]int8]int{}
	}
	at := 8 * len(t.data)
	t.known[key] = at
	t1, _ := Steps(n)
	second := Dissipation2(d) * t1
	block := make([]float64, 5*Lanes)
	for l := range g {
		row := DissipationRow(n, g[l])
		for c := range row {
			row[c] *= -Dissipation4
		}
		row[1] += second
		row[2] -= 2 * second
		row[3] += second
		for c := range row {
			block[c*Lanes+l] = scale * row[c]
		}
	}
	t.data = append(t.data, block...)
	return at
}

// spillGroups is the size of the spill area of a frame, in groups of lanes.
const spillGroups = 128

// NewFrame returns the assembly's replacement for a stack frame: the constants, each Lanes times, followed
// by the spill area, to which it writes values that do not fit in registers. Concurrent calls must not use
// the same frame.
func NewFrame(values []float64) []float64 {
	out := make([]float64, 0, (len(values)+spillGroups)*Lanes)
	for _, v := range values {
		for range Lanes {
			out = append(out, v)
		}
	}
	return out[:cap(out)]
}
