package nas

// The generator behind every kernel's data (NPB 3.4):
//
//	x[n+1] = Multiplier * x[n] mod 2^46,   value[n] = x[n] * 2^-46
//
// The seed is x[0]; it is never returned as a value.
const (
	Multiplier uint64 = 1220703125 // 5^13
	Modulus    uint64 = 1 << 46
	Mask       uint64 = Modulus - 1

	// Scale converts a state to its value. The product is exact: a state has at most 46 significant bits.
	Scale = 1.0 / float64(Modulus)
)

// Power returns Multiplier^n mod 2^46, the factor that advances a state by n steps.
func Power(n uint64) uint64 {
	result, square := uint64(1), Multiplier
	for ; n > 0; n >>= 1 {
		if n&1 == 1 {
			result = result * square & Mask
		}
		square = square * square & Mask
	}
	return result
}

// Skip returns the state n steps after state.
func Skip(state, n uint64) uint64 { return state * Power(n) & Mask }

// A Random is a position in the generator's sequence.
type Random struct{ x uint64 }

// NewRandom returns the generator before its first value.
func NewRandom(seed uint64) Random { return Random{seed & Mask} }

// Next advances by one step and returns the new 46-bit state.
func (r *Random) Next() uint64 {
	r.x = r.x * Multiplier & Mask
	return r.x
}

// Float64 advances by one step and returns the value in (0, 1).
func (r *Random) Float64() float64 { return float64(int64(r.Next())) * Scale }

// Skip advances by n steps.
func (r *Random) Skip(n uint64) { r.x = Skip(r.x, n) }

// State returns the present 46-bit state, that of the value returned last.
func (r *Random) State() uint64 { return r.x }
