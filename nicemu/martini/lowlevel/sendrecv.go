package lowlevel

import (
	"encoding/binary"
	"fmt"
	"sync/atomic"

	"rhinet/nicemu/martini"
)

// A peer is the library's state for one peer, in each direction.
type peer struct {
	out, in struct {
		message uint32 // number of the latest message; 0 only before the first
		block   uint64 // next free block, or next block to read; counted without wrap
		offer   uint64 // next descriptor of the PULL variant
	}
	tail   uint64         // first block that the receiver has not freed
	taken  [blocks]uint64 // number of blocks of the message that begins at a block
	broken bool
}

// next returns the number of the message after number n.
func next(n uint32) uint32 {
	if n++; n == 0 {
		n = 1
	}
	return n
}

// Send sends b to a process and returns when b may be reused: a message of at most 40 bytes goes
// into the descriptor, one of at most 8 KiB into the receiver's Message Buffer, a longer one stays
// in b until the receiver has PULLed it (martini, section 9.1). Without remote access a longer
// message is sent in parts.
func (l *Library) Send(to int, b []byte) error {
	if err := l.checkPeer(to); err != nil {
		return err
	}
	switch {
	case len(b) <= medium:
		return l.sendPush(to, b, false)
	case l.nic.Remote():
		return l.sendPull(to, b)
	}
	for ; len(b) > medium; b = b[medium:] {
		if err := l.sendPush(to, b[:medium], true); err != nil {
			return err
		}
	}
	return l.sendPush(to, b, false)
}

// Recv receives the next message from a process into b and returns its length. For a message that
// does not fit it returns ErrTruncated, and the bytes beyond b are lost.
func (l *Library) Recv(from int, b []byte) (int, error) {
	if err := l.checkPeer(from); err != nil {
		return 0, err
	}
	p := &l.peers[from]
	total := 0
	for {
		rest := b[min(total, len(b)):]
		want := next(p.in.message)
		d, pulled, err := l.awaitDescriptor(from, want)
		if err != nil {
			return 0, err
		}
		var n int
		var more bool
		if pulled {
			n, err = l.recvPull(from, d, rest)
		} else {
			n, more, err = l.recvPush(from, d, rest)
		}
		if err != nil {
			return 0, err
		}
		p.in.message = want
		if total += n; more {
			continue
		}
		if total > len(b) {
			return total, fmt.Errorf("%w: %d bytes into %d", ErrTruncated, total, len(b))
		}
		return total, nil
	}
}

// awaitDescriptor polls both Descriptor Tables of a sender for a message.
func (l *Library) awaitDescriptor(from int, want uint32) (d []byte, pulled bool, err error) {
	p := &l.peers[from]
	push := l.descriptor(at(from, descriptorTable), p.in.block%blocks)
	pull := l.descriptor(at(from, offerTable), p.in.offer%offers)
	pushed, offered := martini.Word32(push, descValid), martini.Word32(pull, descValid)
	for b := l.o.Policy.Begin(); !p.broken; {
		if v := atomic.LoadUint32(pushed); v == want {
			return push, false, nil
		} else if v != 0 {
			break
		}
		if v := atomic.LoadUint32(offered); v == want {
			return pull, true, nil
		}
		if err := l.pause(&b); err != nil {
			return nil, false, err
		}
	}
	return nil, false, l.corrupt(from)
}

// descriptor returns entry i of a table of this process.
func (l *Library) descriptor(table int, i uint64) []byte {
	from := table + int(i)*descriptorBytes
	return l.mem[from : from+descriptorBytes : from+descriptorBytes]
}

// corrupt ends communication with a peer.
func (l *Library) corrupt(from int) error {
	l.peers[from].broken = true
	return fmt.Errorf("%w: process %d", ErrCorrupt, from)
}

// describe completes the descriptor that the caller has begun in l.box, and PUSHes it.
func (l *Library) describe(to, place, n int, more bool) error {
	p := &l.peers[to]
	d := l.box[:descriptorBytes]
	number := next(p.out.message)
	binary.NativeEndian.PutUint32(d[descLength:], uint32(n))
	binary.NativeEndian.PutUint32(d[descMore:], 0)
	if more {
		binary.NativeEndian.PutUint32(d[descMore:], 1)
	}
	binary.NativeEndian.PutUint32(d[descValid:], number)
	if err := l.window.Push(request(to, place), d); err != nil {
		return err
	}
	p.out.message = number
	return nil
}
