package cenju4

import (
	"errors"
	"sync"

	"rhinet/llc/ir"
	"rhinet/llc/mailbox"
	"rhinet/nicemu/cenju4"
)

// Sets of peers: how many there may be at a time, and the size of the area of each, which lies behind the
// mailboxes. A set's number is its synchronization ID.
const (
	sets     = 16
	setBytes = 64 << 10
)

// A set is what a member knows of a set of peers.
type set struct {
	peers     []int // nil: not joined
	multicast uint16
	sync      uint16
	before    uint64 // how often earlier sets had met under its number
}

// A network holds the sets of this peer.
type network struct {
	mu  sync.Mutex
	all [sets]set
}

var _ ir.Switch = (*Translator)(nil)

// Errors of sets.
var (
	errNoNumber = errors.New("llc/cenju4: all numbers of sets are taken")
	errNoSet    = errors.New("llc/cenju4: no such set, or it is joined already")
)

// ReserveSet joins a set under a synchronization ID that no other set has.
func (t *Translator) ReserveSet(peers []int) (number int, err error) {
	for {
		if number = t.hardware.FreeSid(sets); number < 0 {
			return -1, errNoNumber
		}
		if err = t.join(number, peers, true); !errors.Is(err, cenju4.SidTaken) { // by another peer, meanwhile
			return number, err
		}
	}
}

// JoinSet registers the headers of a set.
func (t *Translator) JoinSet(number int, peers []int) error { return t.join(number, peers, false) }

// join is JoinSet for the member that has found the number (first) and for all others.
func (t *Translator) join(number int, peers []int, first bool) (err error) {
	t.network.mu.Lock()
	defer t.network.mu.Unlock()
	if uint(number) >= sets || t.network.all[number].peers != nil {
		return errNoSet
	}
	s := set{peers: peers, before: t.hardware.Synchronized(number)}
	if s.sync, err = t.hardware.RegisterSynchronization(peers, number); err != nil {
		return err
	}
	if s.multicast, err = t.hardware.RegisterMulticast(peers); err != nil {
		return errors.Join(err, t.hardware.UnregisterSynchronization(s.sync, first))
	}
	t.network.all[number] = s
	return nil
}

// LeaveSet unregisters the headers of a set.
func (t *Translator) LeaveSet(number int, last bool) error {
	t.network.mu.Lock()
	defer t.network.mu.Unlock()
	if uint(number) >= sets || t.network.all[number].peers == nil {
		return errNoSet
	}
	s := t.network.all[number]
	t.network.all[number] = set{}
	return errors.Join(t.hardware.UnregisterMulticast(s.multicast), t.hardware.UnregisterSynchronization(s.sync, last))
}

// areaAt returns where the area of a set lies in the bootstrap area.
func (t *Translator) areaAt(number int) int { return mailbox.Bytes(t.Peers()) + number*setBytes }

// SetArea returns the area, a part of the bootstrap area.
func (t *Translator) SetArea(number int) []byte {
	at := t.areaAt(number)
	return t.hardware.Bootstrap()[at : at+setBytes : at+setBytes]
}

// SetBytes returns the length of an area.
func (t *Translator) SetBytes() int { return setBytes }

// Multicast is remote DMA to all members.
func (t *Translator) Multicast(number, offset int, data []byte) error {
	if t.network.all[number].peers == nil {
		return errNoSet
	}
	if offset < 0 || offset%8 != 0 || offset+len(data) > setBytes {
		return cenju4.Beyond
	}
	at := cenju4.BootstrapAt + cenju4.Address(t.areaAt(number)+offset)
	t.parcel = cenju4.Parcel{
		Type: cenju4.Multicast, Protocol: cenju4.RemoteDMA, Dest: t.network.all[number].multicast, Length: uint32(len(data)),
		Words: [3]uint64{uint64(cenju4.LentFor(at)), uint64(at)},
	}
	return t.hardware.Post(&t.parcel, data)
}

// Meet is a synchronization packet.
func (t *Translator) Meet(number int) error {
	s := &t.network.all[number]
	if s.peers == nil {
		return errNoSet
	}
	before := t.hardware.Synchronized(number)
	t.parcel = cenju4.Parcel{Type: cenju4.Synchronization, Dest: s.sync}
	if err := t.hardware.Post(&t.parcel, nil); err != nil {
		return err
	}
	if t.hardware.Synchronized(number) != before {
		for _, peer := range s.peers {
			t.Wake(peer)
		}
	}
	return nil
}

// Met counts the synchronization packets that have come.
func (t *Translator) Met(number int) uint64 {
	return t.hardware.Synchronized(number) - t.network.all[number].before
}
