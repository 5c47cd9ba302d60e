package ir

// A Vector is blocks of equal length in memory, in their order: Stride bytes apart from At on, modulo 2^64, or where List says.
type Vector struct {
	Block  int // bytes of each
	At     uint64
	Stride uint64
	List   []uint64 // where each begins, in the place of At and Stride, if it is not nil
}

// Blocks returns how many blocks n bytes are, and reports whether they are whole ones, of which the vector tells where they lie.
func (v *Vector) Blocks(n int) (blocks int, ok bool) {
	if v.Block <= 0 || n%v.Block != 0 || v.List != nil && len(v.List) < n/v.Block {
		return 0, false
	}
	return n / v.Block, true
}

// Place returns where block i begins.
func (v *Vector) Place(i int) uint64 {
	if v.List != nil {
		return v.List[i]
	}
	return v.At + uint64(i)*v.Stride
}

// A Vectors is an optional ability of a translator (see [Abilities]): memory on the boards of the network interfaces,
// which no processor loads from or stores to, and of which they move elements that do not lie in one piece by
// few commands. Peers know of it what they tell each other.
type Vectors interface {
	// ReserveBoard takes n bytes of the own board, which are 0, until ReleaseBoard. The error says why there are none.
	ReserveBoard(n int) (at uint64, err error)
	ReleaseBoard(at uint64) error
	// ReadVector fills buf with blocks in the memory of a peer's board, and WriteVector stores data there, at once and
	// without the peer taking part. What is refused is an error, and then nothing outside of that memory has been touched; other
	// blocks may have been moved.
	ReadVector(peer int, v *Vector, buf []byte) error
	WriteVector(peer int, v *Vector, data []byte) error
}
