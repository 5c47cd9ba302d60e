package lowlevel

import (
	"encoding/binary"
	"sync/atomic"

	"rhinet/nicemu/martini"
)

// SEND and RECV, the PULL variant (martini, section 9.1):
//
//	SEND                                        RECV
//	Receive Management Table: mark a free entry
//	PUSH the place of the data               -> polls the Descriptor Table
//	                                            invalidates the entry
//	                                            PULLs into the Receive Buffer
//	the Send Buffer is the sender's again    <- PUSH clears the mark
//
// The Receive Buffer is the argument of RECV.

// sendPull offers b and waits until the receiver has read it.
func (l *Library) sendPull(to int, b []byte) error {
	p := &l.peers[to]
	seg, err := l.cache.Acquire(b)
	if err != nil {
		return err
	}
	defer l.cache.Release(seg)
	i := int(p.out.offer % offers)
	mark := martini.Word64(l.mem, at(to, receiveManagement)+i*flagBytes)
	atomic.StoreUint64(mark, 1)
	binary.NativeEndian.PutUint64(l.box[descSegment:], uint64(seg.Segment))
	binary.NativeEndian.PutUint64(l.box[descOffset:], seg.offset(b))
	binary.NativeEndian.PutUint32(l.box[descOffset+8:], uint32(len(b)>>32))
	if err := l.describe(to, at(l.nic.Rank(), offerTable)+i*descriptorBytes, len(b), false); err != nil {
		return err
	}
	p.out.offer++
	for b := l.o.Policy.Begin(); atomic.LoadUint64(mark) != 0; {
		if err := l.pause(&b); err != nil {
			return err
		}
	}
	return nil
}

// recvPull PULLs the message of a descriptor into b.
func (l *Library) recvPull(from int, d, b []byte) (int, error) {
	p := &l.peers[from]
	n := int(binary.NativeEndian.Uint32(d[descLength:])) | int(binary.NativeEndian.Uint32(d[descOffset+8:]))<<32
	r := martini.Request{
		Node: from, Segment: martini.Segment(binary.NativeEndian.Uint64(d[descSegment:])), Offset: binary.NativeEndian.Uint64(d[descOffset:]),
	}
	atomic.StoreUint32(martini.Word32(d, descValid), 0)
	i := int(p.in.offer % offers)
	p.in.offer++
	if n <= 0 {
		return 0, l.corrupt(from)
	}
	err := l.pull(r, b[:min(n, len(b))])
	if ferr := l.flag(from, at(l.nic.Rank(), receiveManagement)+i*flagBytes, 0); err == nil {
		err = ferr
	}
	return n, err
}

// pull PULLs into b, and pins b meanwhile.
func (l *Library) pull(r martini.Request, b []byte) error {
	if len(b) == 0 {
		return nil
	}
	seg, err := l.cache.Acquire(b)
	if err != nil {
		return err
	}
	defer l.cache.Release(seg)
	return l.window.Pull(r, b)
}
