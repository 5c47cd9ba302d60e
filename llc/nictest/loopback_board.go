package nictest

import (
	"sync/atomic"

	"rhinet/llc/ir"
)

// A flag is one line of a board. Its words are atomic, because a late reader
// may look while the writer is two rounds ahead.
type flag struct {
	seq  atomic.Uint32
	data [ir.FlagBytes]atomic.Uint32
}

// boarded is an endpoint with boards.
type boarded struct {
	*endpoint
	flags []flag // board, parity, writer
}

var _ ir.Board = (*boarded)(nil)

func newBoard(peers int) []flag { return make([]flag, boards*2*peers) }

func (b *boarded) Boards() int { return boards }

func (b *boarded) flag(board int, seq uint32, writer int) *flag {
	return &b.flags[(board*2+int(seq&1))*len(b.net.peers)+writer]
}

func (b *boarded) Raise(peer, board int, seq uint32, data []byte) {
	p := b.net.peers[peer].board
	f := p.flag(board, seq, b.self)
	for i, v := range data {
		f.data[i].Store(uint32(v))
	}
	f.seq.Store(seq)
	p.ring()
}

func (b *boarded) Raised(peer, board int, seq uint32, data []byte) bool {
	f := b.flag(board, seq, peer)
	if f.seq.Load() != seq {
		return false
	}
	for i := range data {
		data[i] = byte(f.data[i].Load())
	}
	return true
}
