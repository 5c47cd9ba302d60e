package lowlevel

import (
	"encoding/binary"
	"fmt"
	"sync/atomic"

	"rhinet/nicemu/martini"
)

// Segments is the number of identifiers that a program can give to its memory.
const Segments = sidCount

// Publish pins b and gives it an identifier, by which every process of the job can name it: the SID
// table (martini, sections 5.3, 8.6). It replaces the memory that had the identifier; if b is nil,
// it only withdraws that.
func (l *Library) Publish(id int, b []byte) error {
	word, err := l.sid(id)
	if err != nil {
		return err
	}
	if old := atomic.SwapUint64(word, 0); old != 0 {
		if err := l.nic.Conceal(martini.Segment(old)); err != nil {
			return err
		}
	}
	if b == nil {
		return nil
	}
	s, err := l.nic.Expose(b)
	if err == nil {
		atomic.StoreUint64(word, uint64(s))
	}
	return err
}

func (l *Library) sid(id int) (*uint64, error) {
	if uint(id) >= Segments {
		return nil, fmt.Errorf("%w: segment %d; there are 0 to %d", ErrArgument, id, Segments-1)
	}
	return martini.Word64(l.mem, sidTable+id*flagBytes), nil
}

// lookup PULLs the segment that a process has published as id.
func (l *Library) lookup(node, id int) (martini.Segment, error) {
	if err := l.checkPeer(node); err != nil {
		return 0, err
	}
	if _, err := l.sid(id); err != nil {
		return 0, err
	}
	b := l.box[descriptorBytes : descriptorBytes+flagBytes]
	if err := l.window.Pull(request(node, sidTable+id*flagBytes), b); err != nil {
		return 0, err
	}
	return martini.Segment(binary.NativeEndian.Uint64(b)), nil
}

// Put writes b to a published segment of a process, from an offset on, by PUSH.
func (l *Library) Put(node, id int, offset uint64, b []byte) error {
	s, err := l.lookup(node, id)
	if err != nil || len(b) == 0 {
		return err
	}
	p, err := l.cache.Acquire(b)
	if err != nil {
		return err
	}
	defer l.cache.Release(p)
	return l.window.Push(martini.Request{Node: node, Segment: s, Offset: offset}, b)
}

// Get reads a published segment of a process into b, by PULL.
func (l *Library) Get(node, id int, offset uint64, b []byte) error {
	s, err := l.lookup(node, id)
	if err != nil {
		return err
	}
	return l.pull(martini.Request{Node: node, Segment: s, Offset: offset}, b)
}
