package nas

// A Level is a set of vector instructions that a loop of a kernel is written for. Every loop exists for
// Plain; it exists for the others where they make it faster.
type Level int

// The levels: Go code; assembly with vectors of 4 numbers (AVX2, FMA, BMI1 and BMI2); and assembly with
// vectors of 8 (also AVX-512 F, DQ and VL). Each level requires everything that the loops of any kernel
// use, so the same level can be used for all kernels.
const (
	Plain Level = iota
	AVX2
	AVX512
)

func (l Level) String() string { return [...]string{"plain", "avx2", "avx512"}[l] }

// Levels returns the levels that this processor supports, the best last.
func Levels() []Level { return levels() }

// BestLevel returns the last of Levels.
func BestLevel() Level {
	all := levels()
	return all[len(all)-1]
}
