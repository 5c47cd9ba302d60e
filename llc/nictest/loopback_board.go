package nictest

import (
	"sync/atomic"

	"rhinet/llc/ir"
)

// A flag is one line of a board. Its words are atomic, because a late reader
// may look while the writer is rounds ahead.
type flag struct {
	seq  atomic.Uint32
	mark atomic.Uint32
	data [ir.FlagBytes]atomic.Uint32
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
	for i, v := range data {
		f.data[i].Store(uint32(v))
	}
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
	for i := range data {
		data[i] = byte(f.data[i].Load())
	}
	return f.mark.Load(), true
}
