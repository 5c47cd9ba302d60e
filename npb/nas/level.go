package nas

// A Level is a set of vector instructions that a loop of a kernel is written
// for. Every loop exists for Plain; the others are there where they pay.
type Level int

// The levels: Go code, assembly with vectors of 4 numbers (AVX2, FMA, BMI1 and
// BMI2), and with vectors of 8 (AVX-512 F, DQ and VL besides). Each asks for all
// that the loops of any kernel use, so that one choice serves all.
const (
	Plain Level = iota
	AVX2
	AVX512
)

func (l Level) String() string { return [...]string{"plain", "avx2", "avx512"}[l] }

// Levels returns the levels that this processor can run, the best last.
func Levels() []Level { return levels() }

// BestLevel returns the last of Levels.
func BestLevel() Level {
	all := levels()
	return all[len(all)-1]
}
