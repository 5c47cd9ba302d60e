package lowlevel

import (
	"encoding/binary"
	"sync/atomic"

	"rhinet/nicemu/martini"
)

// SEND and RECV, the PUSH variant (martini, section 9.1):
//
//	SEND                                        RECV
//	Buffer Management Table: room, mark
//	PUSH data into the Message Buffer
//	PUSH the descriptor, first block's entry -> polls the Descriptor Table
//	                                            copies, invalidates the entry
//	the blocks are free                      <- PUSH clears their mark
//
// Blocks are used in a circle. If a message wraps around the end, its data is PUSHed in two pieces.
// Our choice: only the entry of the first block of a message is marked, with the number of its
// blocks.

// sendPush sends a message, or a part of one, of at most medium bytes.
func (l *Library) sendPush(to int, b []byte, more bool) error {
	p := &l.peers[to]
	need := uint64(max(1, (len(b)+blockBytes-1)/blockBytes))
	if err := l.awaitBlocks(to, need); err != nil {
		return err
	}
	first := p.out.block % blocks
	if len(b) <= smallest {
		clear(l.box[descInline:descValid])
		copy(l.box[descInline:], b)
	} else if err := l.pushData(to, int(first), b); err != nil {
		return err
	}
	mark := l.mark(to, first)
	atomic.StoreUint64(mark, need)
	if err := l.describe(to, at(l.nic.Rank(), descriptorTable)+int(first)*descriptorBytes, len(b), more); err != nil {
		atomic.StoreUint64(mark, 0)
		return err
	}
	p.taken[first] = need
	p.out.block += need
	return nil
}

// mark returns an entry of the Buffer Management Table for a receiver.
func (l *Library) mark(to int, block uint64) *uint64 {
	return martini.Word64(l.mem, at(to, bufferManagement)+int(block)*flagBytes)
}

// awaitBlocks polls the Buffer Management Table until need blocks are free.
func (l *Library) awaitBlocks(to int, need uint64) error {
	p := &l.peers[to]
	for b := l.o.Policy.Begin(); ; {
		for p.tail < p.out.block && atomic.LoadUint64(l.mark(to, p.tail%blocks)) == 0 {
			p.tail += p.taken[p.tail%blocks]
		}
		if blocks-(p.out.block-p.tail) >= need {
			return nil
		}
		if err := l.pause(&b); err != nil {
			return err
		}
	}
}

// pushData PUSHes b into the Message Buffer from block first on.
func (l *Library) pushData(to, first int, b []byte) error {
	seg, err := l.cache.Acquire(b)
	if err != nil {
		return err
	}
	defer l.cache.Release(seg)
	buffer := at(l.nic.Rank(), messageBuffer)
	n := min(len(b), (blocks-first)*blockBytes)
	if err := l.window.Push(request(to, buffer+first*blockBytes), b[:n]); err != nil {
		return err
	}
	return l.window.Push(request(to, buffer), b[n:])
}

// recvPush copies the message of a descriptor to b.
func (l *Library) recvPush(from int, d, b []byte) (n int, more bool, err error) {
	p := &l.peers[from]
	n, more = int(binary.NativeEndian.Uint32(d[descLength:])), binary.NativeEndian.Uint32(d[descMore:]) != 0
	if n > medium {
		return 0, false, l.corrupt(from)
	}
	if first := int(p.in.block % blocks); n <= smallest {
		copy(b, d[descInline:descInline+n])
	} else {
		buffer := l.mem[at(from, messageBuffer):][:blocks*blockBytes]
		head := buffer[first*blockBytes : min(first*blockBytes+n, len(buffer))]
		if done := copy(b, head); done == len(head) {
			copy(b[done:], buffer[:n-done])
		}
	}
	atomic.StoreUint32(martini.Word32(d, descValid), 0)
	clears := at(l.nic.Rank(), bufferManagement) + int(p.in.block%blocks)*flagBytes
	p.in.block += uint64(max(1, (n+blockBytes-1)/blockBytes))
	return n, more, l.flag(from, clears, 0)
}
