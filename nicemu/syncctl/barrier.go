package syncctl

import (
	"fmt"
	"slices"

	"rhinet/nicemu/vtime"
)

// Master/Slave barriers: the Slaves notify the Master when they arrive; when all have, the Master
// notifies them (sync-controller, sections 3.2, 3.3). A Slave cannot arrive again before it was
// notified, so the Master needs only a count.
//
// Aligned: the Master adds how long each Slave has to wait, so that all resume when the packet for
// the farthest one has arrived, assuming that all hops take equally long.

// waitUnit is the unit of a waiting time in Data2.
const waitUnit = 10 * vtime.Nanosecond

// barrier is the Master's state.
type barrier struct {
	arrived int
	hops    int // longest chain of packets of an arrival
}

// members returns the nodes that take part in the barriers of a sync_ID.
func (m *Machine) members(id uint16) (list []int, all bool) {
	if list, ok := m.groups[id]; ok {
		return list, false
	}
	return nil, true
}

func (m *Machine) checkBarrier(node int, c Command) error {
	list, all := m.members(uint16(c.ID))
	if !all {
		for _, n := range []int{node, c.Home} {
			if _, ok := slices.BinarySearch(list, n); !ok {
				return fmt.Errorf("%w: node %d takes no part in sync_ID %d: %v", ErrCommand, n, c.ID, list)
			}
		}
	}
	if c.Kind != Aligned {
		return nil
	}
	most := vtime.Time(m.torus.Rows/2+m.torus.Columns/2)*m.set.hop + vtime.Time(len(m.nodes))*m.set.serial
	if most > mostWait*waitUnit {
		return fmt.Errorf("%w: on %d nodes an aligned barrier may wait for %v, and Data2 holds %v; take a master/slave barrier", ErrCommand, len(m.nodes), most, mostWait*waitUnit)
	}
	return nil
}

const mostWait = 1<<16 - 1

func (m *Machine) arriveBarrier(at int, c Command) {
	m.send(at, Packet{Kind: c.Kind, ID: uint16(c.ID), Control: msgArrived}, c.Home, 0)
}

func (m *Machine) handleBarrier(at int, p *Packet) {
	c := name{p.Kind, p.ID}
	if p.Control&msgMask == msgComplete {
		m.chain = max(m.chain, p.hops())
		if p.Kind == MasterSlave {
			m.wake(at, c, OK)
		} else {
			m.after(vtime.Time(p.Data2)*waitUnit, opTimer, job{at: at, c: Command{Kind: p.Kind, ID: int(p.ID)}})
		}
		return
	}
	b := m.nodes[at].barriers[c]
	if b == nil {
		b = &barrier{}
		m.nodes[at].barriers[c] = b
	}
	b.arrived++
	b.hops = max(b.hops, p.hops())
	list, all := m.members(p.ID)
	if all && b.arrived < len(m.nodes) || !all && b.arrived < len(list) {
		return
	}
	hops := b.hops
	*b = barrier{}
	if all {
		list = m.everybody()
	}
	m.complete(at, c, list, hops)
}

func (m *Machine) everybody() []int {
	list := make([]int, len(m.nodes))
	for i := range list {
		list[i] = i
	}
	return list
}

// complete has the Master notify all members.
func (m *Machine) complete(at int, c name, list []int, hops int) {
	far, slaves := 0, 0
	for _, n := range list {
		if n != at {
			far, slaves = max(far, m.torus.Hops(at, n)), slaves+1
		}
	}
	first := max(m.k.Now(), m.nodes[at].sends)
	last := first + vtime.Time(max(slaves-1, 0))*m.set.serial // when the last packet starts
	wait := func(hops int, start vtime.Time) uint16 {
		w := vtime.Time(far-hops) * m.set.hop
		if m.set.sendOrder {
			w += last - start
		}
		return uint16((w + waitUnit/2) / waitUnit)
	}
	next := first
	for _, n := range list {
		if n == at {
			continue
		}
		p := Packet{Kind: c.kind, ID: c.id, Control: msgComplete}
		if c.kind == Aligned {
			p.Data2 = wait(m.torus.Hops(at, n), next)
		}
		next = m.send(at, p, n, hops) + m.set.serial
	}
	m.chain = max(m.chain, hops)
	if c.kind == MasterSlave {
		m.wake(at, c, OK)
		return
	}
	m.at(last+vtime.Time(far)*m.set.hop, opTimer, job{at: at, c: Command{Kind: c.kind, ID: int(c.id)}})
}
