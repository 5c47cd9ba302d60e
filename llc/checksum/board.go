package checksum

import (
	"encoding/binary"
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

// inOne is how much of a flag's payload lies in one of two. Behind it lie, whatever is used of it, the length of the payload and the checksum:
// so a flag can be read without knowing how much its writer, who may be in another call, has given.
const inOne = ir.FlagBytes - 1 - sumBytes

// Boards returns how many boards there are: half of the NIC's.
func (b *board) Boards() int { return b.b.Boards() / 2 }

// Raise raises a flag, of two with their checksums if one does not take it all.
func (b *board) Raise(peers []int, board int, seq, mark uint32, data []byte) {
	n := len(data)
	if n > inOne {
		b.raise(nil, 2*board+1, seq, mark, data[inOne:], n)
		data = data[:inOne]
	}
	b.raise(peers, 2*board, seq, mark, data, n)
}

// raise raises one of two flags, with a part of a payload of n bytes.
func (b *board) raise(peers []int, board int, seq, mark uint32, part []byte, n int) {
	clear(b.flag[copy(b.flag[:inOne], part):inOne])
	b.flag[inOne] = byte(n)
	binary.LittleEndian.PutUint64(b.flag[inOne+1:], flagSum(b.t.Self(), board, seq, mark, b.flag[:inOne+1]))
	b.b.Raise(peers, board, seq, mark, b.flag[:])
}

// Rouse wakes those of peers that sleep.
func (b *board) Rouse(peers []int) { b.b.Rouse(peers) }

// Claim fetches the line of the own flag.
func (b *board) Claim(board int, seq uint32) { b.b.Claim(2*board, seq) }

// Raised reports whether the flag of peer carries seq. If so it returns the mark
// and copies the payload to data, or as much as there is: the mark tells whether that is what the caller expects. A flag whose checksum is wrong is never raised.
func (b *board) Raised(peer, board int, seq uint32, data []byte) (mark uint32, raised bool) {
	first := data[:min(len(data), inOne)]
	n, mark, raised := b.raised(peer, 2*board, seq, first)
	if raised && len(data) > inOne && n > inOne {
		_, _, raised = b.raised(peer, 2*board+1, seq, data[inOne:]) // it was raised before
	}
	return mark, raised
}

func (b *board) raised(peer, board int, seq uint32, data []byte) (n int, mark uint32, raised bool) {
	b.t.mu.Lock()
	defer b.t.mu.Unlock()
	if b.t.lost[peer] != nil {
		return 0, 0, false
	}
	mark, ok := b.b.Raised(peer, board, seq, b.buf[:])
	if !ok {
		return 0, 0, false
	}
	payload := b.buf[:inOne+1]
	if binary.LittleEndian.Uint64(b.buf[inOne+1:]) != flagSum(peer, board, seq, mark, payload) {
		b.t.damagedLocked(peer, fmt.Errorf("llc/checksum: flag %d of rank %d %w", seq, peer, ErrDamaged))
		return 0, 0, false
	}
	copy(data, payload[:inOne])
	return int(payload[inOne]), mark, true
}
