package timed

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"rhinet/llc/ir"
	"rhinet/nicemu/timed"
)

// setBytes is the size of a set's area in the memory of each member, which only packets to the set write.
const setBytes = 64 << 10

// A set is what a member knows of a set of peers.
type set struct {
	members uint64 // 0: not joined
	area    []byte
	met     atomic.Uint64
}

// A setTable has the sets of this peer, by number.
type setTable struct {
	mu  sync.Mutex // guards joining and leaving
	all []set
}

var _ ir.Switch = (*Translator)(nil)

// Errors of sets.
var (
	errNoSet  = errors.New("llc/timed: no such set, or it is joined already")
	errBeyond = errors.New("llc/timed: not within the area of a set, or not at 8 bytes")
)

// ReserveSet joins a set under a free number.
func (t *Translator) ReserveSet(peers []int) (number int, err error) {
	if number, err = t.node.ReserveSet(); err != nil {
		return -1, err
	}
	if err := t.JoinSet(number, peers); err != nil {
		t.node.FreeSet(number)
		return -1, err
	}
	return number, nil
}

// JoinSet records the members of a set.
func (t *Translator) JoinSet(number int, peers []int) error {
	t.sets.mu.Lock()
	defer t.sets.mu.Unlock()
	if uint(number) >= uint(len(t.sets.all)) || t.sets.all[number].members != 0 {
		return errNoSet
	}
	members := uint64(0)
	for _, p := range peers {
		if uint(p) >= uint(t.Peers()) {
			return fmt.Errorf("llc/timed: no peer %d", p)
		}
		members |= 1 << p
	}
	if members>>t.Self()&1 == 0 {
		return errNoSet
	}
	s := &t.sets.all[number]
	s.members, s.area = members, make([]byte, setBytes)
	s.met.Store(0)
	return nil
}

// LeaveSet forgets them.
func (t *Translator) LeaveSet(number int, last bool) error {
	t.sets.mu.Lock()
	defer t.sets.mu.Unlock()
	if uint(number) >= uint(len(t.sets.all)) || t.sets.all[number].members == 0 {
		return errNoSet
	}
	t.sets.all[number].members = 0
	if last {
		t.node.FreeSet(number)
	}
	return nil
}

// SetArea returns the area, memory of this process.
func (t *Translator) SetArea(number int) []byte { return t.sets.all[number].area }

// SetBytes returns the length of an area.
func (t *Translator) SetBytes() int { return setBytes }

// Multicast sends packets of the model.
func (t *Translator) Multicast(number, offset int, data []byte) error {
	s := t.joined(number)
	switch {
	case s == nil:
		return errNoSet
	case offset < 0 || offset%8 != 0 || offset+len(data) > setBytes:
		return errBeyond
	}
	for at := 0; at < len(data); at += timed.MaxPacket {
		t.node.Multicast(number, s.members, offset+at, data[at:min(len(data), at+timed.MaxPacket)])
	}
	return nil
}

// Meet sends a packet that meets those of the other members. Sleeping members wake when the model says so.
func (t *Translator) Meet(number int) error {
	s := t.joined(number)
	if s == nil {
		return errNoSet
	}
	t.node.Meet(number, s.members)
	return nil
}

// Met counts how often all members have met.
func (t *Translator) Met(number int) uint64 { return t.sets.all[number].met.Load() }

func (t *Translator) joined(number int) *set {
	if uint(number) >= uint(len(t.sets.all)) || t.sets.all[number].members == 0 {
		return nil
	}
	return &t.sets.all[number]
}

// spread copies a packet to a set into its area; a packet to a set that this peer has left is dropped.
func (t *Translator) spread(m *timed.Message) {
	if s := t.joined(int(m.Head[0])); s != nil && m.Head[1] <= setBytes && s.members>>m.Peer&1 != 0 {
		copy(s.area[m.Head[1]:], m.Data)
	}
}

// meet counts that all members of a set have come.
func (t *Translator) meet(m *timed.Message) {
	if s := t.joined(int(m.Head[0])); s != nil {
		s.met.Add(1)
	}
}
