package cenju4

import (
	"encoding/binary"
	"errors"

	"rhinet/llc/endpoint"
	"rhinet/llc/ir"
	"rhinet/nicemu/cenju4"
	"rhinet/nicemu/fabric"
)

const name = "cenju4"

// A Translator drives the NIC of one rank.
type Translator struct {
	endpoint.Mailed
	hardware hardware
	head     [3]uint64
	came     []uint64 // messages received, by peer
	network  network
	parcel   cenju4.Parcel // of operations on a set
}

// Open connects rank to its NIC in the memory of a job.
func Open(f *fabric.Fabric, rank int, o cenju4.Options) (*Translator, error) {
	nic, err := cenju4.Open(f, rank, o)
	if err != nil {
		return nil, err
	}
	e := endpoint.New(f, rank, cenju4.Gone)
	t := &Translator{
		hardware: hardware{NIC: nic, f: f, self: rank, rings: f.RingPool()},
		came:     make([]uint64, f.Ranks()),
	}
	t.ConnectMail(&e, name, &t.hardware, nic.Bootstrap(), t.open, errForged)
	return t, nil
}

// errForged reports a message that no correct translator has sent.
var errForged = errors.New("llc/cenju4: a message that is no packet")

// The data of a message: the three words of the packet's header, with the number of payload bytes in the low
// half of the first; a check; and then the payload, or its place in the mailbox. The check covers the header,
// the place, and how many messages the sender has sent to this peer before: so the reader notices what was
// overwritten since, also by an older message.
const (
	headBytes = 4 * 8
	mostShort = cenju4.MaxPacket - headBytes
)

// open turns an event about a message into the event of the packet that is in the message or in the mailbox.
func (t *Translator) open(ev *ir.Event) bool {
	data, ok := t.packet(int(ev.Peer), ev.Data)
	if ok {
		ev.Data = data
		ev.Header.Unpack(&t.head, len(data))
	}
	return ok
}

// packet reads the header of a message and returns the payload.
func (t *Translator) packet(peer int, message []byte) (data []byte, ok bool) {
	if len(message) < headBytes {
		return nil, false
	}
	for i := range t.head {
		t.head[i] = binary.NativeEndian.Uint64(message[8*i:])
	}
	n, data, place := int(uint32(t.head[0])), message[headBytes:], uint64(0)
	switch {
	case n > mostShort && len(data) == 8:
		place = binary.NativeEndian.Uint64(data)
	case len(data) != n:
		return nil, false
	}
	if binary.NativeEndian.Uint64(message[headBytes-8:]) != fabric.Seal(t.head[0], t.head[1], t.head[2], place, t.came[peer]) {
		return nil, false
	}
	t.came[peer]++
	if n > mostShort {
		return t.Mail.Open(peer, place, uint64(n))
	}
	return data, true
}
