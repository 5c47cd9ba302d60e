// Package media is Cenju-4 as a network of ranks in virtual time (package medium): packets between
// ranks are sent as the low-level communication library does, by parcels of the timed machine.
//
//	a packet          remote DMA of its line, after remote DMA of the payload if the line does not hold it
//	Pull              a remote read for each part of at most 512 KByte
//	Push              remote DMA, and a word back when all has arrived
//	Multicast         remote DMA to many
//	Meet              a synchronization packet
//
// The processor time of calls is that of the native library and MPI in the parameters (cenju4,
// sections 11 and 12).
package media

import (
	"io"

	"rhinet/nicemu/cenju4"
	"rhinet/nicemu/cenju4/timed"
	"rhinet/nicemu/medium"
	"rhinet/nicemu/param"
	"rhinet/nicemu/vtime"
)

// A Medium is Cenju-4 for a number of ranks, one on each node.
type Medium struct {
	vtime.Source
	machine *timed.Machine
	table   *param.Table
	ranks   int
	jobs    vtime.Slots[job] // by tag of their parcels
	sets    []set            // by number; nil: none yet
}

var (
	_ medium.Model   = (*Medium)(nil)
	_ medium.Mover   = (*Medium)(nil)
	_ medium.Counter = (*Medium)(nil)
	_ io.Closer      = (*Medium)(nil)
)

// A job is an operation that a rank has posted.
type job struct {
	kind     kind
	src, dst int
	set      *set   // for a multicast,
	turn     uint32 // and whether it belongs to an even or odd synchronization of the set
	open     int    // parcels of it that have not arrived
	to       vtime.Actor
	op       int
	arg      uint64
}

type kind uint8

const (
	packet kind = iota
	pull
	push
	told   // a push whose data has arrived
	spread // a multicast
)

// The contents of a line.
const (
	line   = 64
	inLine = 40 // bytes of payload
)

// New returns the medium of the given number of ranks.
func New(k *vtime.Kernel, ranks int, t *param.Table) (*Medium, error) {
	m := &Medium{Source: k.Source("ranks"), table: t, ranks: ranks}
	var err error
	if m.machine, err = timed.On(k, ranks, t); err != nil {
		return nil, err
	}
	m.machine.Arrived = m.arrived
	return m, nil
}

// Close does nothing.
func (m *Medium) Close() error { return nil }

// Lookahead returns the time of the shortest parcel.
func (m *Medium) Lookahead() vtime.Time { return m.machine.Least() }

// Costs returns the costs of the native library and of MPI, and of copies on both sides.
func (m *Medium) Costs() medium.Costs {
	ns := func(name string) vtime.Time { return vtime.Nanoseconds(m.table.Value(name)) }
	call, copied := ns("mpi.call"), medium.PerByte(1e3/m.table.Value("host.copy"))
	eager := m.table.Int("mpi.eager")
	return medium.Costs{
		Send:     medium.Cost{Message: call, Packet: ns("paralib.send"), PerByte: copied, Short: inLine, Long: ns("paralib.again")},
		Receive:  medium.Cost{Message: call, Packet: ns("paralib.receive"), PerByte: copied},
		Transfer: ns("paralib.send"), Poll: ns("paralib.receive"),
		Packet: eager, Eager: eager, Remote: true,
	}
}

// Links returns the links of nodes and switches that were used.
func (m *Medium) Links(end vtime.Time) (all []medium.Link) {
	m.machine.Links(func(name string, used vtime.Time) {
		all = append(all, medium.Link{Name: name, Used: min(1, float64(used)/float64(max(end, 1)))})
	})
	return all
}

// Carried returns what nodes have sent, including requests.
func (m *Medium) Carried() (packets, bytes uint64) { return m.machine.Carried() }

// Send posts the parcels of a packet.
func (m *Medium) Send(src, dst, bytes int, to vtime.Actor, op int, arg uint64) {
	if src == dst {
		m.After(m.Lookahead(), to, op, arg) // through memory: copies are in the costs
		return
	}
	tag := m.begin(job{kind: packet, src: src, dst: dst, to: to, op: op, arg: arg})
	if bytes > inLine {
		m.dma(tag, src, dst, bytes)
	}
	m.dma(tag, src, dst, line)
}

// Pull posts remote reads.
func (m *Medium) Pull(src, dst, bytes int, to vtime.Actor, op int, arg uint64) {
	m.remote(pull, cenju4.RemoteRead, src, dst, bytes, to, op, arg)
}

// Push posts remote DMA.
func (m *Medium) Push(src, dst, bytes int, to vtime.Actor, op int, arg uint64) {
	m.remote(push, cenju4.RemoteDMA, src, dst, bytes, to, op, arg)
}

func (m *Medium) remote(k kind, p cenju4.Protocol, src, dst, bytes int, to vtime.Actor, op int, arg uint64) {
	if src == dst {
		m.After(m.Lookahead()+m.Costs().Send.PerByte.Time(bytes), to, op, arg)
		return
	}
	tag := m.begin(job{kind: k, src: src, dst: dst, to: to, op: op, arg: arg})
	for at := 0; at < max(bytes, 1); at += cenju4.MaxParcel {
		m.post(tag, timed.Parcel{From: src, To: []int{dst}, Protocol: p, Bytes: min(bytes-at, cenju4.MaxParcel)})
	}
}

// begin stores a job and returns its tag.
func (m *Medium) begin(j job) int { return int(m.jobs.Put(j)) }

func (m *Medium) dma(tag, from, to, bytes int) {
	m.post(tag, timed.Parcel{From: from, To: []int{to}, Protocol: cenju4.RemoteDMA, Bytes: bytes})
}

func (m *Medium) post(tag int, p timed.Parcel) {
	p.Tag = tag
	m.jobs.At(uint64(tag)).open++
	m.send(p)
}

func (m *Medium) send(p timed.Parcel) {
	if err := m.machine.Post(p); err != nil {
		panic(err) // sizes and nodes come from the model
	}
}

// arrived continues the job of a parcel that has arrived: a remote read is answered by the node
// where it arrives.
func (m *Medium) arrived(node int, p *timed.Parcel) {
	if p.Sync {
		m.met(node, p.Sid)
		return
	}
	j := m.jobs.At(uint64(p.Tag))
	if j.kind == spread {
		m.landed(node, p.Tag)
		return
	}
	if j.open--; p.Protocol == cenju4.RemoteRead {
		m.dma(p.Tag, j.dst, j.src, p.Bytes)
		return
	}
	if j.open > 0 {
		return
	}
	if j.kind == push {
		j.kind = told
		m.post(p.Tag, timed.Parcel{From: j.dst, To: []int{j.src}, Protocol: cenju4.RemoteDMA, Flags: cenju4.Inline, Bytes: cenju4.MaxInline})
		return
	}
	end := m.jobs.Take(uint64(p.Tag))
	end.to.Act(end.op, end.arg)
}
