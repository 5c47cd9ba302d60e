package fabric

import (
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
)

// The header's words, in order. Once the memory is made, only the launcher writes there, and only
// the words about dead ranks, see MarkFailed.
const (
	wordMagic = iota
	wordVersion
	wordJob
	wordRanks
	wordRings
	wordSlots
	wordBytes
	wordLines
	wordFlagArrays
	wordWords
	wordDevice
	wordPublic
	wordSpread
	wordCommon
	wordTotal
	headerWords
)

// Words of the header about ranks that have died.
const (
	wordFailedCount = 64 // how many
	wordFailed      = 80 // one bit for each rank
)

// Words of the page behind the header, which all ranks write. No two of them share a line or
// adjacent lines.
const (
	wordDecided = 0  // see Decide
	wordFenced  = 16 // how many ranks are targets of barriers
)

const (
	magic   = 0x3154454e49485221 // "!RHINET1"
	version = 8
)

// ErrForeign reports memory that is not a fabric of this version.
var ErrForeign = errors.New("not the memory of a job of this version; use the mpirun and the programs of one build")

// newJob returns the number that identifies a job, never 0.
func newJob() uint32 {
	var b [4]byte
	for {
		_, _ = rand.Read(b[:]) // never fails
		if j := binary.LittleEndian.Uint32(b[:]); j != 0 {
			return j
		}
	}
}

// write fills the header of new memory.
func (l *layout) write(mem []byte, job uint32) {
	w := words(mem[:PageBytes])
	w[wordVersion] = version
	w[wordJob] = uint64(job)
	w[wordTotal] = uint64(l.total())
	for i, n := range l.fields() {
		w[wordRanks+i] = uint64(n)
	}
	w[wordMagic] = magic
}

// fields lists the geometry as the header holds it, from wordRanks on.
func (l *layout) fields() []int {
	g, spread := &l.geo, 0
	if g.Ring.Spread {
		spread = 1
	}
	return []int{l.ranks, g.Rings, g.Ring.Slots, g.Ring.Bytes, g.Shared.Lines, g.FlagArrays, g.Words, g.Device, g.Public, spread, g.Common}
}

// readHeader returns the layout that a header page describes, for memory of
// size bytes in all.
func readHeader(page []byte, size int) (l layout, err error) {
	var w [headerWords]uint64
	for i := range w {
		w[i] = binary.LittleEndian.Uint64(page[8*i:])
	}
	if w[wordMagic] != magic || w[wordVersion] != version {
		return l, fmt.Errorf("fabric: %w", ErrForeign)
	}
	small := func(i int) int { return int(min(w[i], 1<<30)) }
	var g Geometry
	g.Rings, g.Ring.Slots, g.Ring.Bytes = small(wordRings), small(wordSlots), small(wordBytes)
	g.Shared.Lines, g.FlagArrays, g.Words, g.Device = small(wordLines), small(wordFlagArrays), small(wordWords), small(wordDevice)
	g.Public = small(wordPublic)
	g.Ring.Spread = w[wordSpread] != 0
	g.Common = int(min(w[wordCommon], 1<<62))
	if err := g.Check(small(wordRanks)); err != nil {
		return l, err
	}
	l = layOut(small(wordRanks), g)
	if w[wordTotal] != uint64(l.total()) || size < l.total() {
		return l, fmt.Errorf("fabric: %d bytes where the header needs %d: %w", size, l.total(), ErrForeign)
	}
	return l, nil
}
