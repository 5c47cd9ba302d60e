package ir

// A Vector is a sequence of blocks of equal length in memory: Stride bytes apart from At on, modulo 2^64, or
// at the places in List.
type Vector struct {
	Block  int // bytes of each
	At     uint64
	Stride uint64
	List   []uint64 // where each begins, in place of At and Stride, if it is not nil
}

// Blocks returns the number of blocks in n bytes. ok reports whether n is a whole number of blocks, all of
// which the vector places.
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

// A Vectors is an optional ability of a translator (see [Abilities]): memory on the boards of the NICs, which
// no processor loads from or stores to. The NICs move elements that do not lie in one piece with few
// commands. Peers know of this memory what they tell each other.
type Vectors interface {
	// ReserveBoard takes n zeroed bytes of this peer's board, until ReleaseBoard. The error says why there
	// are none.
	ReserveBoard(n int) (at uint64, err error)
	ReleaseBoard(at uint64) error
	// ReadVector fills buf with blocks in the memory of a peer's board, and WriteVector stores data there, at
	// once and without the peer taking part. If the NIC refuses, they return an error: nothing outside of
	// that memory has been touched, but some blocks may have been moved.
	ReadVector(peer int, v *Vector, buf []byte) error
	WriteVector(peer int, v *Vector, data []byte) error
}
