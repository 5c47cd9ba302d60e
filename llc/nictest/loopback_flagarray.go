package nictest

import (
	"encoding/binary"
	"sync/atomic"

	"rhinet/llc/ir"
)

// A flag is one flag of a flag array. Its words are atomic, because a late reader may look while the writer
// is rounds ahead.
type flag struct {
	seq  atomic.Uint32
	mark atomic.Uint32
	n    atomic.Uint32 // bytes of data
	data [ir.FlagRoom / 8]atomic.Uint64
}

// withFlags is an endpoint with flag arrays.
type withFlags struct {
	*endpoint
	flags []flag // flag array, turn
}

var _ ir.FlagArray = (*withFlags)(nil)

func newFlagArray() []flag { return make([]flag, flagArrays*ir.FlagTurns) }

func (b *withFlags) FlagArrays() int { return flagArrays }

func (b *withFlags) flag(flagArray int, seq uint32) *flag {
	return &b.flags[flagArray*ir.FlagTurns+int(seq%ir.FlagTurns)]
}

func (b *withFlags) Raise(peers []int, flagArray int, seq, mark uint32, data []byte) {
	f := b.flag(flagArray, seq)
	for i := 0; i < len(data); i += 8 {
		var word [8]byte
		copy(word[:], data[i:])
		f.data[i/8].Store(binary.NativeEndian.Uint64(word[:]))
	}
	f.n.Store(uint32(len(data)))
	f.mark.Store(mark)
	f.seq.Store(seq)
	b.WakePeers(peers)
}

func (b *withFlags) WakePeers(peers []int) {
	for _, peer := range peers {
		b.wakeFor(peer, ir.NumOps)
	}
}

func (b *withFlags) Prefetch(int, uint32, int) {}

func (b *withFlags) Raised(peer, flagArray int, seq uint32, data []byte) (mark uint32, raised bool) {
	f := b.net.peers[peer].flagArray.flag(flagArray, seq)
	if f.seq.Load() != seq {
		return 0, false
	}
	data = data[:min(len(data), int(f.n.Load()))]
	for i := 0; i < len(data); i += 8 {
		var word [8]byte
		binary.NativeEndian.PutUint64(word[:], f.data[i/8].Load())
		copy(data[i:], word[:])
	}
	return f.mark.Load(), true
}
