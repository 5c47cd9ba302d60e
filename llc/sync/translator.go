package sync

import (
	"errors"

	"rhinet/llc/endpoint"
	"rhinet/llc/ir"
	"rhinet/llc/mailbox"
	"rhinet/nicemu/fabric"
	"rhinet/nicemu/sync"
)

const name = "sync"

// A Translator drives the controller of one rank.
type Translator struct {
	endpoint.Mailed
	hardware hardware
	came     []uint64 // packets received through the mailbox, by peer
}

var _ ir.Controller = (*Translator)(nil)

// Open connects rank to its controller in the memory of a job.
func Open(f *fabric.Fabric, rank int) (*Translator, error) {
	nic, err := sync.Open(f, rank)
	if err != nil {
		return nil, err
	}
	e := endpoint.New(f, rank, sync.WrongJob)
	t := &Translator{
		hardware: hardware{NIC: nic, NoRemote: endpoint.NoRemote{Why: errHost}, f: f, rings: f.RingPool()},
		came:     make([]uint64, f.Ranks()),
	}
	t.ConnectMail(&e, name, &t.hardware, nic.MailboxArea(), t.open, errForged)
	return t, nil
}

// errForged reports an event packet that no correct translator has sent.
var errForged = errors.New("llc/sync: an event about what is no packet in the mailbox")

// open turns an event packet into the packet that it announces.
func (t *Translator) open(ev *ir.Event) bool {
	words := ev.Header.Words()
	p := sync.ReadEvent(&words)
	peer := int(ev.Peer)
	data, ok := t.Mail.Open(peer, mailbox.Counter(peer)+uint64(p.Address), uint64(p.Data2))
	if !ok || len(data) < headBytes {
		return false
	}
	head := unpackHead(data)
	want := event(t.Self(), p.Data2, p.Address)
	want.Source, want.Status = uint16(peer), check(&want, &head, t.came[peer])
	if p != want {
		return false
	}
	t.came[peer]++
	ev.Data = data[headBytes:]
	ev.Header.Unpack(&head, len(ev.Data))
	return true
}
