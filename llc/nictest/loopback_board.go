package nictest

import (
	"encoding/binary"
	"sync/atomic"

	"rhinet/llc/ir"
)

// A flag is one of a board. Its words are atomic, because a late reader
// may look while the writer is rounds ahead.
type flag struct {
	seq  atomic.Uint32
	mark atomic.Uint32
	n    atomic.Uint32 // bytes of data
	data [ir.FlagRoom / 8]atomic.Uint64
}

// boarded is an endpoint with boards.
type boarded struct {
	*endpoint
	flags []flag // board, turn
}

var _ ir.Board = (*boarded)(nil)

func newBoard() []flag { return make([]flag, boards*ir.FlagTurns) }

func (b *boarded) Boards() int { return boards }

func (b *boarded) flag(board int, seq uint32) *flag {
	return &b.flags[board*ir.FlagTurns+int(seq%ir.FlagTurns)]
}

func (b *boarded) Raise(peers []int, board int, seq, mark uint32, data []byte) {
	f := b.flag(board, seq)
	for i := 0; i < len(data); i += 8 {
		var word [8]byte
		copy(word[:], data[i:])
		f.data[i/8].Store(binary.NativeEndian.Uint64(word[:]))
	}
	f.n.Store(uint32(len(data)))
	f.mark.Store(mark)
	f.seq.Store(seq)
	b.Rouse(peers)
}

func (b *boarded) Rouse(peers []int) {
	for _, peer := range peers {
		b.rouse(peer, ir.NumOps)
	}
}

func (b *boarded) Claim(int, uint32) {}

func (b *boarded) Raised(peer, board int, seq uint32, data []byte) (mark uint32, raised bool) {
	f := b.net.peers[peer].board.flag(board, seq)
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
