package martini

import (
	"rhinet/internal/ring"
	shared "rhinet/llc/endpoint"
	"rhinet/llc/martini/endpoint"
	"rhinet/nicemu/martini"
)

// A hardware is the NIC as the rings need it.
type hardware struct{ *endpoint.Endpoint }

var _ shared.Hardware = hardware{}

// Writer opens the way into a packet ring: PUSH and BOTF.
func (h hardware) Writer(peer, ring int) (shared.Writer, error) {
	return h.NIC().Channel(h.NIC().Next(), peer, ring)
}

// Sender opens the way into the shared ring: VPUSH.
func (h hardware) Sender(peer int) (shared.Sender, error) {
	m, err := h.NIC().Mailbox(h.NIC().Next(), peer)
	return sender{m}, err
}

// A sender is a Mailbox.
type sender struct{ *martini.Mailbox }

// Send appends a packet.
func (s sender) Send(head *[3]uint64, payload []byte) (bool, error) { return s.Append(head, payload) }

// Flags opens the flag arrays: BOTF of one line.
func (h hardware) Flags() (shared.Flags, error) { return h.NIC().FlagWriter(h.NIC().Next()) }

// Messages returns the reader of this rank's VPUSH ring.
func (h hardware) Messages() *ring.SharedReader { return h.NIC().MailReader() }

// Reader returns the reader of a packet ring of this rank.
func (h hardware) Reader(i int) *ring.Reader { return h.NIC().RingReader(i) }

// Remote reports whether PUSH and PULL reach the memory of other processes.
func (h hardware) Remote() bool { return h.NIC().Remote() }

// Swap is a special packet to firmware.
func (h hardware) Swap(peer int, word, old, now uint64) (uint64, error) {
	return h.NIC().Next().Swap(peer, word, old, now)
}

// Close withdraws all registrations.
func (h hardware) Close() error { return h.NIC().Close() }
