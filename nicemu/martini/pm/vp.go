package pm

import (
	"rhinet/internal/ring"
	"rhinet/nicemu/martini"
)

// VP is PM/RHiNET-VP at one node: every message is one VPUSH into the one ring of its destination
// (pm-messaging, section 1.5). It has no RMA and no ack. The sender does not track room: the
// receiving NIC does, and a full ring is back-pressure, ErrNoBufs from Send.
type VP struct {
	nic    *martini.NIC
	mail   []*martini.Mailbox // by destination, opened on first use
	reader *ring.SharedReader
	packet ring.Packet
	buf    [maxVP]byte
	most   int
	dst, n int // for the buffer obtained; n is 0 if there is none
	held   bool
	broken bool
	count  Counters
}

var _ Messages = (*VP)(nil)

// NewVP opens PM/RHiNET-VP on a NIC. It uses the NIC's VPUSH ring.
func NewVP(nic *martini.NIC) *VP {
	return &VP{
		nic: nic, mail: make([]*martini.Mailbox, nic.Ranks()), reader: nic.MailReader(),
		most: min(maxVP, nic.MaxMail()),
	}
}

// Self returns the own node number.
func (p *VP) Self() int { return p.nic.Rank() }

// Nodes returns the number of nodes.
func (p *VP) Nodes() int { return len(p.mail) }

// MaxMessage returns 2040, the payload of one packet, or less if the ring is very small.
func (p *VP) MaxMessage() int { return p.most }

// Counters returns the counts so far.
func (p *VP) Counters() Counters { return p.count }

// Close does nothing.
func (p *VP) Close() error { return nil }

// GetSendBuffer returns the send buffer.
func (p *VP) GetSendBuffer(dst, n int) ([]byte, error) {
	if p.n != 0 {
		return nil, ErrBusy
	}
	if err := check(dst, len(p.mail), n, p.most); err != nil {
		return nil, err
	}
	if p.mail[dst] == nil {
		m, err := p.nic.Mailbox(p.nic.Next(), dst)
		if err != nil {
			return nil, err
		}
		p.mail[dst] = m
	}
	p.dst, p.n = dst, n
	return p.buf[:n:n], nil
}

// Send PUSHes the buffer to the destination under the SID of its ring.
func (p *VP) Send() error {
	if p.n == 0 {
		return ErrNothingHeld
	}
	n := p.n
	p.n = 0
	var head [3]uint64
	ok, err := p.mail[p.dst].Append(&head, p.buf[:n])
	if err != nil {
		return err
	}
	if !ok {
		return ErrNoBufs
	}
	p.count.Pushes++
	return nil
}

// Receive makes one comparison, for any number of nodes.
func (p *VP) Receive() ([]byte, error) {
	if p.held {
		return nil, ErrBusy
	}
	p.count.Probed++
	if p.broken || !p.reader.Ready() {
		p.count.EmptyPasses++
		return nil, ErrNoMessage
	}
	ok, err := p.reader.Poll(&p.packet)
	if err != nil {
		p.broken = true
		return nil, &CorruptError{p.packet.Peer, err.Error()}
	}
	if !ok {
		p.count.EmptyPasses++
		return nil, ErrNoMessage
	}
	p.held = true
	return p.packet.Data, nil
}

// Source returns the node that sent the held message, according to its NIC.
func (p *VP) Source() int { return p.packet.Peer }

// ReleaseReceiveBuffer advances the release pointer past the message.
func (p *VP) ReleaseReceiveBuffer() error {
	if !p.held {
		return ErrNothingHeld
	}
	p.held = false
	p.reader.Consume()
	return nil
}
