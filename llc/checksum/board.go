package checksum

import (
	"encoding/binary"
	"fmt"

	"rhinet/llc/ir"
)

// A board is that of a translator with checksums. The payload of a flag begins with a head: its checksum, and its
// length, so that it can be read without knowing how much its writer, who may be in another call, has given.
type board struct {
	t *translator
	b ir.Board

	flag [headBytes + ir.FlagBytes]byte // the flag that is raised
	buf  [headBytes + ir.FlagBytes]byte // the flag that is looked at, guarded by t.mu
}

// headBytes is the length of a head.
const headBytes = sumBytes + 2

// A flag has room for it.
const _ = uint(ir.FlagRoom - ir.FlagBytes - headBytes)

// Boards returns how many boards there are.
func (b *board) Boards() int { return b.b.Boards() }

// Raise raises a flag with its checksum.
func (b *board) Raise(peers []int, board int, seq, mark uint32, data []byte) {
	binary.LittleEndian.PutUint16(b.flag[sumBytes:], uint16(len(data)))
	sum := foldCopy(flagSum(b.t.Self(), board, seq, mark, len(data)), b.flag[headBytes:], data)
	binary.LittleEndian.PutUint64(b.flag[:], sum)
	b.b.Raise(peers, board, seq, mark, b.flag[:headBytes+len(data)])
}

// Rouse wakes those of peers that sleep.
func (b *board) Rouse(peers []int) { b.b.Rouse(peers) }

// Claim fetches the line of the own flag.
func (b *board) Claim(board int, seq uint32) { b.b.Claim(board, seq) }

// Raised reports whether the flag of peer carries seq. If so it returns the mark
// and copies the payload to data, or as much as there is: the mark tells whether that is what the caller expects. A flag whose checksum is wrong is never raised.
func (b *board) Raised(peer, board int, seq uint32, data []byte) (mark uint32, raised bool) {
	b.t.mu.Lock()
	defer b.t.mu.Unlock()
	if b.t.lost[peer] != nil {
		return 0, false
	}
	mark, ok := b.b.Raised(peer, board, seq, b.buf[:])
	if !ok {
		return 0, false
	}
	n, payload := int(binary.LittleEndian.Uint16(b.buf[sumBytes:])), b.buf[headBytes:]
	if n > len(payload) || foldCopy(flagSum(peer, board, seq, mark, n), payload, payload[:n]) != binary.LittleEndian.Uint64(b.buf[:]) {
		b.t.damagedLocked(peer, fmt.Errorf("llc/checksum: flag %d of rank %d %w", seq, peer, ErrDamaged))
		return 0, false
	}
	copy(data, payload[:n])
	return mark, true
}
