package pm

// A message in a ring of PM/RHiNET: header, payload, trailer, contiguous from
// the start of a slot (pm-messaging, section 1.4.3; the layout is the one
// suggested there).
//
//	header   bit 31 one, 30 skip, 16-29 sequence, 0-15 payload bytes
//	trailer  bit 31 one, 16-29 sequence
//
// The payload is padded to a multiple of four bytes. Free space is zero.
const (
	slotBytes  = 2048 // the MTU
	ringSlots  = 64
	ringBytes  = ringSlots * slotBytes
	wordBytes  = 4
	frameBytes = 2 * wordBytes

	maxRHiNET = 4*slotBytes - frameBytes // bytes of payload
	maxVP     = slotBytes - frameBytes

	wordSet  = 1 << 31
	wordSkip = 1 << 30

	seqShift = 16
	seqMask  = 1<<14 - 1
)

func makeHeader(seq uint64, n int) uint32 {
	return wordSet | uint32(seq&seqMask)<<seqShift | uint32(n)
}

func makeSkip(seq uint64) uint32 { return makeHeader(seq, 0) | wordSkip }

func makeTrailer(seq uint64) uint32 { return makeHeader(seq, 0) }

// framed returns the bytes of a message of n payload bytes in its ring.
func framed(n int) int { return frameBytes + (n+wordBytes-1)&^(wordBytes-1) }

// slots returns the number of slots of a message of n payload bytes.
func slots(n int) uint64 { return uint64((framed(n) + slotBytes - 1) / slotBytes) }
