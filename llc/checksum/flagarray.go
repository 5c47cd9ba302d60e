package checksum

import (
	"encoding/binary"
	"fmt"

	"rhinet/llc/ir"
)

// A flagArray is that of a translator with checksums. The payload of a flag begins with a head: its checksum
// and its length, so that a reader in another call than the writer can read it without knowing the length.
type flagArray struct {
	t *translator
	b ir.FlagArray

	flag [headBytes + ir.FlagBytes]byte // the flag that is raised
	buf  [headBytes + ir.FlagBytes]byte // the flag that is looked at, guarded by t.mu
}

// headBytes is the length of a head.
const headBytes = sumBytes + 2

// A flag has room for a head.
const _ = uint(ir.FlagRoom - ir.FlagBytes - headBytes)

// FlagArrays returns how many flag arrays there are.
func (b *flagArray) FlagArrays() int { return b.b.FlagArrays() }

// Raise raises a flag with its checksum.
func (b *flagArray) Raise(peers []int, flagArray int, seq, mark uint32, data []byte) {
	binary.LittleEndian.PutUint16(b.flag[sumBytes:], uint16(len(data)))
	sum := foldCopy(flagSum(b.t.Self(), flagArray, seq, mark, len(data)), b.flag[headBytes:], data)
	binary.LittleEndian.PutUint64(b.flag[:], sum)
	b.b.Raise(peers, flagArray, seq, mark, b.flag[:headBytes+len(data)])
}

// WakePeers wakes those of peers that sleep.
func (b *flagArray) WakePeers(peers []int) { b.b.WakePeers(peers) }

// Prefetch fetches the lines of this peer's flag.
func (b *flagArray) Prefetch(flagArray int, seq uint32, n int) {
	b.b.Prefetch(flagArray, seq, headBytes+n)
}

// Raised reports whether the flag of peer carries seq. If so it returns the mark and copies the payload to
// data, as much as fits: the mark tells whether it is what the caller expects. A flag whose checksum is wrong
// is never raised.
func (b *flagArray) Raised(peer, flagArray int, seq uint32, data []byte) (mark uint32, raised bool) {
	b.t.mu.Lock()
	defer b.t.mu.Unlock()
	if b.t.lost[peer] != nil {
		return 0, false
	}
	mark, ok := b.b.Raised(peer, flagArray, seq, b.buf[:])
	if !ok {
		return 0, false
	}
	n, payload := int(binary.LittleEndian.Uint16(b.buf[sumBytes:])), b.buf[headBytes:]
	if n > len(payload) || foldCopy(flagSum(peer, flagArray, seq, mark, n), payload, payload[:n]) != binary.LittleEndian.Uint64(b.buf[:]) {
		b.t.damagedLocked(peer, fmt.Errorf("llc/checksum: flag %d of rank %d %w", seq, peer, ErrDamaged))
		return 0, false
	}
	copy(data, payload[:n])
	return mark, true
}
