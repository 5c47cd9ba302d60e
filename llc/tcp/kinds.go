package tcp

import (
	"rhinet/internal/tcp"
	"rhinet/llc/ir"
)

// The kinds of frames: see the package comment.
const (
	hello = 1 + iota
	welcome
	packet
	pull
	push
	data
	done
	refused
)

// longest is the length of the longest packet with its head.
const longest = tcp.HeadBytes + packetBytes

// lead writes the head of a frame that carries a header.
func (t *Translator) lead(h *tcp.Head, kind byte, n int, header *ir.Header) {
	h.Say(kind, n)
	t.PutHeader(h[8:], header)
}
