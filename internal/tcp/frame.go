package tcp

import "encoding/binary"

// HeadBytes is the length of the head of a frame.
const HeadBytes = 32

// A Head is the head of a frame:
//
//	0     how many bytes follow, or any other number of 56 bits
//	7     kind of frame
//	8-31  three words, or other data that the kind defines
type Head [HeadBytes]byte

// Put fills a head.
func (h *Head) Put(kind byte, n int, words ...uint64) {
	*h = Head{}
	h.Say(kind, n)
	for i, w := range words {
		h.set(i, w)
	}
}

// Say fills the bytes before the words.
func (h *Head) Say(kind byte, n int) {
	binary.LittleEndian.PutUint64(h[:], uint64(kind)<<56|uint64(n))
}

// About returns the arguments of Say.
func (h *Head) About() (kind byte, n int) {
	w := binary.LittleEndian.Uint64(h[:])
	return byte(w >> 56), int(w &^ (0xff << 56))
}

// Word returns one of the three words.
func (h *Head) Word(i int) uint64 { return binary.LittleEndian.Uint64(h[8+8*i:]) }

func (h *Head) set(i int, w uint64) { binary.LittleEndian.PutUint64(h[8+8*i:], w) }

// A Frame is a frame to be sent.
type Frame struct {
	Head Head
	Body []byte
	Rest []byte // of a transfer: data of its later frames
	// Place is the index of the word in a transfer's head that says where the body belongs. The first word
	// is its number.
	Place   int
	Of      uint64 // of a transfer, identifies the memory that it sends
	revoked byte   // kind of the frame that is sent instead of the rest
	packet  []byte // a packet with its head, in memory of a Pool; then all other fields are unused
}

// Transfer makes a frame of the first part of b, to be followed by others.
func Transfer(kind byte, b []byte, part, place int, words ...uint64) Frame {
	f := Frame{Body: b[:min(len(b), part)], Place: place}
	f.Rest = b[len(f.Body):]
	f.Head.Put(kind, len(f.Body), words...)
	return f
}

// Note makes a frame without a body.
func Note(kind byte, n int, words ...uint64) (f Frame) {
	f.Head.Put(kind, n, words...)
	return f
}

// next turns f into the next frame of the transfer, no longer than the one before.
func (f *Frame) next() {
	kind, n := f.Head.About()
	f.Body, f.Rest = f.Rest[:min(len(f.Rest), n)], f.Rest[min(len(f.Rest), n):]
	f.Head.Say(kind, len(f.Body))
	f.Head.set(f.Place, f.Head.Word(f.Place)+uint64(n))
}

// size returns how many bytes are to be sent.
func (f *Frame) size() int {
	if f.packet != nil {
		return len(f.packet)
	}
	return HeadBytes + len(f.Body)
}

// send sends what is left of a frame, or a part of it; at bytes have been sent already.
func (f *Frame) send(s Socket, at int) (int, error) {
	switch {
	case f.packet != nil:
		return s.Send(f.packet[at:])
	case at >= HeadBytes:
		return s.Send(f.Body[at-HeadBytes:])
	case len(f.Body) == 0:
		return s.Send(f.Head[at:])
	}
	return s.SendBoth(f.Head[at:], f.Body)
}

// A Pool is memory for packets with their heads.
type Pool struct {
	Bytes int // of each
	spare [][]byte
}

// Get returns memory of Bytes bytes.
func (p *Pool) Get() []byte {
	if n := len(p.spare); n > 0 {
		b := p.spare[n-1]
		p.spare = p.spare[:n-1]
		return b[:p.Bytes]
	}
	return make([]byte, p.Bytes)
}

// Put returns memory to the pool.
func (p *Pool) Put(b []byte) { p.spare = append(p.spare, b) }
