package ir

import "rhinet/internal/strided"

// A Memory is an optional ability of a translator (see [Abilities]): memory
// that all peers load from and store to, with the atomic operations of their processors.
// Its methods may be called by any goroutine at any time, also beside others.
type Memory interface {
	// Reserve takes n bytes, which are 0 and begin on a page, until Release; at
	// names them at all peers.
	Reserve(n int) (at uint64, err error)
	// Reserved returns n bytes from at on, nil if they are not all within what one
	// Reserve has taken.
	Reserved(at, n uint64) []byte
	// Release gives back what Reserve took as at, at any peer. Nobody may use it
	// any more.
	Release(at uint64) error
}

// A Remote is an optional ability of a translator (see [Abilities]): to read and write memory that a peer has
// exposed, at once and without the peer taking part. It does what [Expose], [Pull] and [Push] do, for callers
// that wait for the result.
type Remote interface {
	// ExposeMemory registers own memory until ConcealMemory.
	ExposeMemory(b []byte) (Segment, error)
	ConcealMemory(s Segment) error
	// ReadMemory and WriteMemory copy between buf and memory of a peer, from offset on in what the peer has
	// exposed. If the NIC refuses, they return an error and no byte has moved.
	ReadMemory(peer int, s Segment, offset uint64, buf []byte) error
	WriteMemory(peer int, s Segment, offset uint64, buf []byte) error
}

// A Lender is an optional ability of a translator (see [Abilities]): [Expose], for callers that wait for the
// result. The memory stays where it is, and its owner keeps it alive, until [Conceal]. The Lender of a
// [Router] lends to the peers of its first NIC.
type Lender interface {
	Lend(b []byte) (Segment, error)
}

// A BlockMover is also implemented by the [Remote] of a NIC whose Caps have Blocks: it reads and writes
// blocks, at equal distances or of a list, as it does contiguous memory.
type BlockMover interface {
	// MoveBlocks carries out m between buf and memory of a peer, from offset on in what the peer has exposed:
	// to the peer if write is true. If the NIC refuses, it returns an error and no byte has moved.
	MoveBlocks(peer int, s Segment, offset uint64, buf []byte, m strided.Move, write bool) error
}

// WordBytes is the size of a word of [Atomics], in bytes.
const WordBytes = 8

// An Atomics is an optional ability of a translator (see [Abilities]): the NIC updates words of memory that a
// peer has exposed for that, at once and without the peer taking part. Updates of a word are atomic with
// respect to each other and to the atomic operations of processors. An offset counts bytes in what was
// exposed, and is a multiple of [WordBytes]. If the NIC refuses, the call returns an error and the word is
// unchanged.
type Atomics interface {
	// ExposeWords registers own memory until ConcealWords. The memory must be aligned to words, and shared by
	// the processors of all peers (see [Memory]); otherwise the call returns an error.
	ExposeWords(b []byte) (Segment, error)
	ConcealWords(s Segment) error
	// AddWord adds v to a word.
	AddWord(peer int, s Segment, offset, v uint64) error
	// SwapWord stores v in a word; CompareSwapWord stores v if the word is old. They return the value before.
	SwapWord(peer int, s Segment, offset, v uint64) (was uint64, err error)
	CompareSwapWord(peer int, s Segment, offset, old, v uint64) (was uint64, err error)
}
