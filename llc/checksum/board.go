package checksum

import (
	"fmt"

	"rhinet/llc/ir"
)

// A board is that of a translator with checksums.
type board struct {
	t *translator
	b ir.Board

	flag [ir.FlagBytes]byte // the flag that is raised
	buf  [ir.FlagBytes]byte // the flag that is looked at, guarded by t.mu
}

// inFirst is how much of a flag's payload lies in the first of two.
const inFirst = ir.FlagBytes - sumBytes

// Boards returns how many boards there are: half of the NIC's.
func (b *board) Boards() int { return b.b.Boards() / 2 }

// Raise raises a flag, of two with their checksums if one does not take it all.
func (b *board) Raise(peers []int, board int, seq, mark uint32, data []byte) {
	if len(data) > inFirst {
		b.raise(nil, 2*board+1, seq, mark, data[inFirst:])
		data = data[:inFirst]
	}
	b.raise(peers, 2*board, seq, mark, data)
}

func (b *board) raise(peers []int, board int, seq, mark uint32, data []byte) {
	all := seal(append(b.flag[:0], data...), flagSum(b.t.Self(), board, seq, mark, data))
	b.b.Raise(peers, board, seq, mark, all)
}

// Claim fetches the line of the own flag.
func (b *board) Claim(board int, seq uint32) { b.b.Claim(2*board, seq) }

// Raised reports whether the flag of peer carries seq. If so it returns the mark
// and copies the payload to data. A flag whose checksum is wrong is never raised.
func (b *board) Raised(peer, board int, seq uint32, data []byte) (mark uint32, raised bool) {
	if len(data) > inFirst {
		if _, ok := b.raised(peer, 2*board+1, seq, data[inFirst:]); !ok {
			return 0, false
		}
		data = data[:inFirst]
	}
	return b.raised(peer, 2*board, seq, data)
}

func (b *board) raised(peer, board int, seq uint32, data []byte) (uint32, bool) {
	b.t.mu.Lock()
	defer b.t.mu.Unlock()
	if b.t.lost[peer] != nil {
		return 0, false
	}
	all := b.buf[:len(data)+sumBytes]
	mark, ok := b.b.Raised(peer, board, seq, all)
	if !ok {
		return 0, false
	}
	payload, sum, _ := split(all)
	if sum != flagSum(peer, board, seq, mark, payload) {
		b.t.damagedLocked(peer, fmt.Errorf("llc/checksum: flag %d of rank %d %w", seq, peer, ErrDamaged))
		return 0, false
	}
	copy(data, payload)
	return mark, true
}
