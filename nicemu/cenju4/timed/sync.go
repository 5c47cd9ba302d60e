package timed

import (
	"math/bits"

	"rhinet/nicemu/vtime"
)

// A meeting identifies an entry of a synchronization table.
type meeting struct{ stage, number, sid int }

// come has a synchronization packet arrive at a switch, or at its node, at a time. It is short, and
// does not contend with other traffic in this model: it waits only for the tables.
func (n *network) come(at vtime.Time, stage, line, sid int) {
	n.src.At(at, n, opSync, place(stage, line)|uint64(sid)<<32)
}

func (n *network) sync(op, stage, line, sid int) {
	switch {
	case stage == n.form.Stages():
		n.m.arrived(line, n.m.syncs[sid])
	case op == opSync:
		// The table serves one packet after the other.
		key := [2]int{stage, n.form.Switch(stage, line)}
		at := max(n.m.k.Now(), n.table[key])
		n.table[key] = at + n.m.n.table
		n.src.At(at, n, opMeet, place(stage, line)|uint64(sid)<<32)
	default:
		n.meet(stage, line, sid)
	}
}

// meet records a packet. When packets have arrived from all inputs by which members can reach the
// switch, one leaves by each output that leads to a member.
func (n *network) meet(stage, line, sid int) {
	members := n.m.syncs[sid].to
	key := meeting{stage, n.form.Switch(stage, line), sid}
	n.meets[key] |= 1 << n.form.Port(stage, line)
	for input := range n.form.Ports() {
		if n.form.Expected(stage, n.form.Next(stage, line, input), members) && n.meets[key]>>input&1 == 0 {
			return
		}
	}
	delete(n.meets, key)
	for ports := n.form.PortBits(stage, line, members); ports != 0; ports &= ports - 1 {
		n.come(n.m.k.Now()+n.m.n.sync, stage+1, n.form.Next(stage, line, bits.TrailingZeros64(ports)), sid)
	}
}
