package endpoint

import (
	"encoding/binary"
	"sync/atomic"

	"rhinet/nicemu/fabric"
)

// nameBytes is the length of the longest address of a rank.
const nameBytes = 256

// PutName publishes the address of this rank where its peers look for it: the bytes, and last their number in
// the first word.
func (e *Endpoint) PutName(name []byte) {
	w := e.fabric.Words(e.self, fabric.Device)
	var b [nameBytes]byte
	n := copy(b[:], name)
	for i := range len(b) / 8 {
		w[1+i] = binary.LittleEndian.Uint64(b[8*i:])
	}
	atomic.StoreUint64(&w[0], uint64(n))
}

// Name returns the address of a peer: the one that it has met this rank with, or the one that it has
// published; nil if there is none, or none that it can have published.
func (e *Endpoint) Name(peer int) []byte {
	if e.all != nil {
		return e.all[peer].Name
	}
	w := e.fabric.Words(peer, fabric.Device)
	n := atomic.LoadUint64(&w[0])
	if n == 0 || n > nameBytes {
		return nil
	}
	b := make([]byte, nameBytes)
	for i := range len(b) / 8 {
		binary.LittleEndian.PutUint64(b[8*i:], w[1+i])
	}
	return b[:n]
}

// Left reports whether a peer was in the job and is gone. For peers on other hosts the launcher reports it.
func (e *Endpoint) Left(peer int) bool {
	if e.Elsewhere(peer) {
		return e.fabric.HasFailed(peer)
	}
	return e.fabric.Process(peer) == 0 && e.Name(peer) != nil
}
