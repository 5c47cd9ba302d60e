package martini

import (
	"fmt"

	"rhinet/nicemu/fabric"
)

const page = fabric.PageBytes

// served is what a target of requests has registered, valid and invalid.
type served struct {
	nic      *NIC
	whole    []byte // pinned and unpinned pages
	mem      []byte // pinned part of whole, exposed as good
	good     Segment
	stale    Segment // of mem, withdrawn
	unpinned Segment // of the unpinned part of whole
	half     Segment // of the whole of whole
}

// pattern returns byte i of a served memory.
func pattern(i int) byte { return byte(i*7 + i>>8*13 + 1) }

// serve registers memory at n: size bytes, a multiple of a page, are pinned, and the same number
// after them are not.
func serve(n *NIC, size int) (*served, error) {
	raw := make([]byte, 2*size+page)
	skip := int(-fabric.Address(raw) % page)
	s := &served{nic: n, whole: raw[skip : skip+2*size]}
	for i := range s.whole {
		s.whole[i] = pattern(i)
	}
	s.mem = s.whole[:size:size]
	var err error
	if s.stale, err = n.Expose(s.mem); err != nil {
		return nil, err
	}
	if err = n.Conceal(s.stale); err != nil {
		return nil, err
	}
	if s.good, err = n.Expose(s.mem); err != nil {
		return nil, err
	}
	if s.unpinned, err = n.Register(fabric.Address(s.whole)+uint64(size), uint64(size)); err != nil {
		return nil, err
	}
	s.half, err = n.Register(fabric.Address(s.whole), uint64(2*size))
	return s, err
}

// untouched checks that the memory that must not change has not.
func (s *served) untouched() error {
	for i := len(s.mem); i < len(s.whole); i++ {
		if s.whole[i] != pattern(i) {
			return fmt.Errorf("byte %d changed, %d bytes are pinned", i, len(s.mem))
		}
	}
	return nil
}

// announce and hear carry the segments to another process.
func (s *served) announce() string {
	return fmt.Sprintln("ready", len(s.mem), uint64(s.good), uint64(s.stale), uint64(s.unpinned), uint64(s.half), fabric.Address(s.mem))
}

// A remote is a peer's record of a served memory.
type remote struct {
	node                        int
	size                        int
	good, stale, unpinned, half Segment
	address                     uint64
}

func hear(node int, line string) (r remote, err error) {
	r.node = node
	_, err = fmt.Sscan(line[len("ready "):], &r.size, (*uint64)(&r.good), (*uint64)(&r.stale), (*uint64)(&r.unpinned), (*uint64)(&r.half), &r.address)
	return r, err
}

// contents pulls what r exposes.
func (r *remote) contents(n *NIC) ([]byte, error) {
	b := make([]byte, r.size)
	return b, pulled(n, r.node, r.good, 0, b)
}

// pinnedFor runs f while b is pinned.
func pinnedFor(n *NIC, b []byte, f func() error) error {
	p, err := n.Hold(b)
	if err != nil {
		return err
	}
	err = f()
	if uerr := n.Unpin(p); err == nil {
		err = uerr
	}
	return err
}

func pulled(n *NIC, node int, s Segment, off uint64, b []byte) error {
	return pinnedFor(n, b, func() error { return n.Next().Pull(Request{Node: node, Segment: s, Offset: off}, b) })
}

func pushed(n *NIC, node int, s Segment, off uint64, b []byte) error {
	return pinnedFor(n, b, func() error { return n.Next().Push(Request{Node: node, Segment: s, Offset: off}, b) })
}

// Straight: the same two, for lent memory.
func movedIn(n *NIC, node int, s Segment, off uint64, b []byte) error {
	return n.Move(false, Request{Node: node, Segment: s, Offset: off}, b)
}

func movedOut(n *NIC, node int, s Segment, off uint64, b []byte) error {
	return n.Move(true, Request{Node: node, Segment: s, Offset: off}, b)
}

// By BOTF: the same two, as packets. The PGID in the image is arbitrary.
func botfPushed(n *NIC, node int, s Segment, off uint64, b []byte) error {
	return n.Next().Botf(&Packet{Type: PacketPush, PGID: 12345, PID: node, Node: node, Segment: s, Offset: off, Payload: b})
}

func botfPulled(n *NIC, node int, s Segment, off uint64, b []byte) error {
	return pinnedFor(n, b, func() error {
		return n.Next().Botf(&Packet{
			Type: PacketPullRequest, PGID: 12345, PID: node, Node: node, Segment: s, Offset: off,
			Local: fabric.Address(b), Length: len(b),
		})
	})
}

// An access is one method to access remote memory.
type access struct {
	name  string
	write bool
	max   int // bytes; 0: no limit
	do    func(n *NIC, node int, s Segment, off uint64, b []byte) error
}

func accesses() []access {
	return []access{
		{"PULL", false, 0, pulled},
		{"PUSH", true, 0, pushed},
		{"PULL straight", false, 0, movedIn},
		{"PUSH straight", true, 0, movedOut},
		{"BOTF of push", true, MaxImage, botfPushed},
		{"BOTF of pull request", false, 0, botfPulled},
	}
}
