package ring

import "sync/atomic"

// A SharedReader reads a shared ring. It belongs to one goroutine.
type SharedReader struct {
	line  *Line  // of the next record
	want  uint32 // its sequence
	slot  uint64 // its number
	need  uint64 // lines of the record that Poll returned
	from  int    // its source
	head  [3]uint64
	peers int
	came  []Tally // by source
	sharedMem
}

// NewSharedReader views mem, which starts on a line, as a shared ring whose
// sources are 0 to peers-1. The ring may already carry records.
func NewSharedReader(mem []byte, l SharedLayout, peers int) *SharedReader {
	r := &SharedReader{peers: peers, came: make([]Tally, peers), sharedMem: openShared(mem, l)}
	r.slot = atomic.LoadUint64(r.released)
	r.aim()
	return r
}

func (r *SharedReader) aim() {
	r.line = &r.lines[r.slot&r.mask]
	r.want = Seq(r.slot)
}

// Ready reports whether a line has arrived. It reads one line.
func (r *SharedReader) Ready() bool { return uint32(atomic.LoadUint64(&r.line[0])) == r.want }

// Poll fills p with the next record and reports whether there was one. The record stays the next one until
// Consume. ErrCorrupt is final, because the position of the next record is then unknown; p.Peer is the
// source that the record claims, or -1 if that is impossible too.
func (r *SharedReader) Poll(p *Packet) (bool, error) {
	for {
		w := atomic.LoadUint64(&r.line[0])
		if uint32(w) != r.want {
			return false, nil
		}
		size := r.line[1]
		if size&0xffff != pad {
			return r.open(w, size, p)
		}
		source := size >> 16 & 0xffff
		if rest := r.mask + 1 - r.slot&r.mask; rest < extent(r.most) && source < uint64(r.peers) {
			r.came[source].add(rest, &[3]uint64{w, size, r.line[2]})
			r.release(rest)
			continue
		}
		p.Peer = -1
		return false, ErrCorrupt
	}
}

func (r *SharedReader) open(w, size uint64, p *Packet) (bool, error) {
	n := size & 0xffff
	p.Ring = Everybody
	if p.Peer = int(size >> 16 & 0xffff); p.Peer >= r.peers {
		p.Peer = -1
		return false, ErrCorrupt
	}
	first := r.slot & r.mask
	if r.need = extent(int(n)); n > uint64(r.most) || first+r.need > r.mask+1 {
		return false, ErrCorrupt
	}
	p.Head[0], p.Head[1], p.Head[2] = w, size, r.line[2]
	r.from, r.head = p.Peer, p.Head
	if n <= Inline {
		p.Data = inline(r.line)[:n:n]
	} else {
		at := (first + 1) * LineBytes
		p.Data = r.bytes[at : at+n : at+n]
	}
	return true, nil
}

// Consume frees the space of the record that Poll returned.
func (r *SharedReader) Consume() {
	// A line that held payload may hold a header in a later lap: its payload must not look like a sequence
	// then.
	for i := uint64(1); i < r.need; i++ {
		atomic.StoreUint64(&r.lines[(r.slot+i)&r.mask][0], 0)
	}
	r.came[r.from].add(r.need, &r.head)
	r.release(r.need)
}

func (r *SharedReader) release(n uint64) {
	r.slot += n
	r.aim()
	atomic.StoreUint64(r.released, r.slot)
}
