package cfd

// Level is a set of vector instructions.
type Level int

// The levels: plain Go, four lanes, eight lanes.
const (
	Plain Level = iota
	AVX2
	AVX512
)

func (l Level) String() string { return [...]string{"plain", "avx2", "avx512"}[l] }

// Width returns the points that an operator kernel of the level handles together.
func (l Level) Width() int {
	if l == AVX2 {
		return 4
	}
	return Lanes
}

// Levels returns the levels that this machine can run, the best last.
func Levels() []Level { return levels() }

// Best returns the fastest level of this machine.
func Best() Level {
	all := Levels()
	return all[len(all)-1]
}
