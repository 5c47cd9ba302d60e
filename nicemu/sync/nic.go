package sync

import (
	"errors"
	"sync/atomic"

	"rhinet/internal/ring"
	"rhinet/nicemu/fabric"
	"rhinet/nicemu/syncctl"
)

// A NIC is the controller of one rank, as its process sees it. After Close every operation is
// refused. It belongs to one goroutine at a time.
type NIC struct {
	f        *fabric.Fabric
	rank     int
	torus    syncctl.Torus
	own      node
	job      uint64               // the job word in the tables of the nodes of its job
	queues   []*ring.SharedWriter // of events, by node, opened on first use
	sent     []ring.Tally         // events, by node
	reserved uint64               // bit set of the locks of its RP that are in use
	withdrew map[lockName]uint64  // the latest turn that this node has withdrawn
	closed   bool
}

// Open gives this process the NIC of a rank, which the job's manager has started. Where ranks are
// goroutines of one process and there is no manager, the first NIC that is opened acts as the
// manager.
func Open(f *fabric.Fabric, rank int) (*NIC, error) {
	if err := admit(f); err != nil {
		return nil, err
	}
	if err := f.Enter(rank); err != nil {
		return nil, err
	}
	return &NIC{
		f: f, rank: rank, torus: syncctl.Grid(f.Ranks()), own: nodeOf(f, rank), job: jobWord(f.Job()),
		queues: make([]*ring.SharedWriter, f.Ranks()), sent: make([]ring.Tally, f.Ranks()),
		withdrew: map[lockName]uint64{},
	}, nil
}

// Close ends the use of the NIC. Its memory stays with the job: late packets arrive there.
func (n *NIC) Close() error {
	if n.closed {
		return errors.New("sync: closed twice")
	}
	n.closed = true
	n.f.Leave(n.rank)
	return nil
}

// Rank returns the rank, which is the number of the node on the torus.
func (n *NIC) Rank() int { return n.rank }

// Torus returns the network of the job: the smallest torus whose sides differ least.
func (n *NIC) Torus() syncctl.Torus { return n.torus }

// Sent returns the numbers of event packets and data packets that this node has sent.
func (n *NIC) Sent() (events, data uint64) { return n.own.tables[regEvents], n.own.tables[regData] }

// MailboxArea returns this node's mailbox, or nil after Close.
func (n *NIC) MailboxArea() []byte {
	if n.closed {
		return nil
	}
	return n.f.Bytes(n.rank, fabric.Public)[publicSize:]
}

// Account returns one of the two accounts that a node keeps of what another one has sent to it;
// from it a reader finds that something was overwritten before it was read. After Close it returns
// an account that no other node sees. Our choice; the hardware would not have it.
func (n *NIC) Account(at, of, which int) ring.Account {
	if n.closed {
		return ring.NewAccount(new(ring.Line))
	}
	return n.f.Account(at, of, which)
}

// A node is the memory of one controller as other controllers see it.
type node struct{ tables, public []uint64 }

func nodeOf(f *fabric.Fabric, rank int) node {
	return node{f.Words(rank, fabric.Device), f.Words(rank, fabric.Public)}
}

// An entry is a line of the table of buffers.
type entry [entryWords]uint64

func (t node) entry(b Buffer) *entry {
	at := regBuffers + int(b)*entryWords
	return (*entry)(t.tables[at : at+entryWords])
}

// codes returns the line of a sequence at the node's distributed BC.
func (t node) codes(sequence int) *[codeWords]uint64 {
	at := regCodes + sequence*codeWords
	return (*[codeWords]uint64)(t.tables[at : at+codeWords])
}

// jobOf returns the word that holds a node's job.
func (t node) jobOf() *uint64 { return &t.tables[regJob] }

// peer returns the memory of a node that can be reached, which is one of the same job.
func (n *NIC) peer(rank int) (t node, why Reason) {
	switch {
	case n.closed:
		return t, Closed
	case uint(rank) >= uint(n.f.Ranks()):
		return t, NoNode
	}
	if t = nodeOf(n.f, rank); atomic.LoadUint64(t.jobOf()) != n.job {
		return t, WrongJob
	}
	return t, 0
}
