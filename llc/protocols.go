package llc

import (
	"fmt"
	"math"
	"strings"

	"rhinet/internal/invariants"
	"rhinet/llc/ir"
)

// A row is one protocol: which messages it serves, and how each side starts. Messages to this peer itself
// need none (unexpected.go).
type row struct {
	name    string
	most    uint64 // message bytes up to which it serves; rows are in order of size
	send    func(*Engine, *peer, *Request)
	receive func(*Engine, *transfer) // of an offered message; t.n bytes fit
}

// rowsFor chooses, once, at set-up, the protocols that a NIC can carry.
func rowsFor(c *ir.Caps) []row {
	eager := uint64(min(c.Eager, mostEager))
	rows := []row{{"eager", eager, (*Engine).startEager, (*Engine).pullAll}}
	if !c.Remote {
		return append(rows, row{"rendezvous/stream", math.MaxUint64, (*Engine).startRTS, (*Engine).askStream})
	}
	pull := uint64(math.MaxUint64)
	if c.Words > 0 && c.Split > 0 && c.SplitUnit > 0 {
		pull = uint64(c.Split) - 1
	}
	rows = append(rows, row{"rendezvous/pull", pull, (*Engine).startRTS, (*Engine).pullAll})
	if pull != math.MaxUint64 {
		rows = append(rows, row{"rendezvous/split", math.MaxUint64, (*Engine).startRTS, (*Engine).share})
	}
	return rows
}

// rowFor returns the protocol for a message of n bytes.
func (n *nic) rowFor(bytes uint64) *row {
	i := 0
	for bytes > n.rows[i].most {
		i++
	}
	return &n.rows[i]
}

// start chooses the protocol of a send that cannot go directly.
func (e *Engine) start(p *peer, r *Request) {
	if r.Tag < 0 || r.Tag > math.MaxInt32 {
		panic(badTag)
	}
	if invariants.Enabled {
		r.pend()
	}
	r.done = false
	switch {
	case p.end != nil:
		e.fail(r, p.end)
	case int(p.number) == e.self:
		e.startSelf(r)
	default:
		p.row(r).send(e, p, r)
	}
}

// Protocols describes the protocols that the engine uses with caps, as ranges of message sizes in bytes (llc,
// section 4.4).
func Protocols(caps ir.Caps) string {
	var b strings.Builder
	from := uint64(0)
	for _, r := range rowsFor(&caps) {
		if r.most < from {
			continue
		}
		if r.most == math.MaxUint64 {
			fmt.Fprintf(&b, "%d-: %s\n", from, r.name)
			break
		}
		fmt.Fprintf(&b, "%d-%d: %s\n", from, r.most, r.name)
		from = r.most + 1
	}
	return b.String()
}
