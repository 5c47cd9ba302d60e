package cenju4

import "sync/atomic"

// The tables in which RHM looks up the destination of a parcel (cenju4, section 8). The OS writes
// them; a parcel names an offset.

const (
	entryValid = 1 << 63
	cidShift   = 16
	nodeMask   = MaxNodes - 1
)

// A destination is an entry of the node table.
type destination struct{ node, cid int }

// lookUp returns the physical node and cid of a logical processor number.
func (t node) lookUp(dest int) (d destination, why Reason) {
	if uint64(dest) >= min(atomic.LoadUint64(&t.tables[regNodeLimit]), MaxNodes) {
		return d, BeyondTable
	}
	w := atomic.LoadUint64(&t.tables[regNodes+dest])
	if w&entryValid == 0 {
		return d, NoEntry
	}
	return destination{int(w & nodeMask), int(w >> cidShift & (Cids - 1))}, 0
}

func (t node) setNode(dest int, d destination) {
	atomic.StoreUint64(&t.tables[regNodes+dest], entryValid|uint64(d.node)|uint64(d.cid)<<cidShift)
}

// A Set is the destination of a multicast: one bit for each node of a group of 64 (cenju4, section
// 2.3).
type Set struct {
	Members uint64
	Group   int
}

// lookUpSet returns an entry of the multicast header table.
func (t node) lookUpSet(offset int) (s Set, why Reason) {
	if uint64(offset) >= min(atomic.LoadUint64(&t.tables[regSetLimit]), multicastSets) {
		return s, BeyondTable
	}
	w := t.tables[regSets+2*offset:]
	if s.Members = atomic.LoadUint64(&w[0]); s.Members == 0 {
		return s, NoEntry
	}
	s.Group = int(atomic.LoadUint64(&w[1]) % (MaxNodes / GroupNodes))
	return s, 0
}

// lookUpSync returns an entry of the synchronization header table.
func (t node) lookUpSync(offset int) (members uint64, sid int, why Reason) {
	if uint64(offset) >= min(atomic.LoadUint64(&t.tables[regSyncLimit]), syncHeaders) {
		return 0, 0, BeyondTable
	}
	w := t.tables[regSyncs+2*offset:]
	return atomic.LoadUint64(&w[0]), int(atomic.LoadUint64(&w[1]) % Sids), 0
}

// set makes a Set of logical processor numbers.
func (n *NIC) set(nodes []int) (s Set, why Reason) {
	if len(nodes) == 0 {
		return s, NoMember
	}
	for i, dest := range nodes {
		if uint(dest) >= uint(n.ranks) {
			return s, NoMember
		}
		d, why := n.own.lookUp(dest)
		if why != 0 {
			return s, why
		}
		if i == 0 {
			s.Group = d.node / GroupNodes
		}
		if d.node/GroupNodes != s.Group {
			return s, OtherGroup
		}
		s.Members |= 1 << (d.node % GroupNodes)
	}
	return s, 0
}

// RegisterMulticast is the system call that puts a header for the nodes with these logical
// processor numbers into the multicast header table. It returns the offset of the header, which is
// the destination of multicast parcels (cenju4, section 10).
func (n *NIC) RegisterMulticast(nodes []int) (dest uint16, err error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	s, why := n.set(nodes)
	switch {
	case n.closed.Load():
		why = Closed
	case why == 0 && len(n.spareSets) == 0 && n.own.tables[regSetLimit] >= multicastSets:
		why = TableFull
	}
	if why != 0 {
		return 0, n.refuse(Refusal{Node: n.rank, Reason: why})
	}
	return n.own.addHeader(regSets, regSetLimit, &n.spareSets, uint64(s.Group), s.Members), nil
}

// addHeader writes an entry of a header table: a returned one, or else the next.
func (t node) addHeader(table, limit int, spare *[]uint16, word, members uint64) (dest uint16) {
	used := t.tables[limit]
	if last := len(*spare) - 1; last >= 0 {
		dest, *spare = (*spare)[last], (*spare)[:last]
	} else {
		dest = uint16(used)
		used++
	}
	atomic.StoreUint64(&t.tables[table+2*int(dest)+1], word)
	atomic.StoreUint64(&t.tables[table+2*int(dest)], members)
	atomic.StoreUint64(&t.tables[limit], used)
	return dest
}

// dropHeader removes an entry of a header table, and reports whether there was one: an entry
// without members is empty.
func (t node) dropHeader(table, limit int, spare *[]uint16, dest uint16) bool {
	if uint64(dest) >= t.tables[limit] || t.tables[table+2*int(dest)] == 0 {
		return false
	}
	atomic.StoreUint64(&t.tables[table+2*int(dest)], 0)
	*spare = append(*spare, dest)
	return true
}

// UnregisterMulticast is the system call that removes a header from the multicast header table.
func (n *NIC) UnregisterMulticast(dest uint16) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.dropped(n.own.dropHeader(regSets, regSetLimit, &n.spareSets, dest))
}

// dropped ends a system call that removes a header from a table; was says that there was one.
func (n *NIC) dropped(was bool) error {
	switch {
	case n.closed.Load():
		return n.refuse(Refusal{Node: n.rank, Reason: Closed})
	case !was:
		return n.refuse(Refusal{Node: n.rank, Reason: NoEntry})
	}
	return nil
}

// RegisterSynchronization is the system call that adds a header for these nodes, which include this
// one, with a synchronization ID that they have agreed on. Our choice: from then on the ID belongs
// to this set in the whole job, so that packets of different sets never meet.
func (n *NIC) RegisterSynchronization(nodes []int, sid int) (dest uint16, err error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	s, why := n.set(nodes)
	switch {
	case n.closed.Load():
		why = Closed
	case n.ranks > GroupNodes:
		why = TooLarge
	case why != 0:
	case uint(sid) >= Sids || s.Members>>n.rank&1 == 0:
		why = NoMember
	case len(n.spareSyncs) == 0 && n.own.tables[regSyncLimit] >= syncHeaders:
		why = TableFull
	case !n.takeSid(sid, s.Members):
		why = SidTaken
	}
	if why != 0 {
		return 0, n.refuse(Refusal{Node: n.rank, Reason: why})
	}
	return n.own.addHeader(regSyncs, regSyncLimit, &n.spareSyncs, uint64(sid), s.Members), nil
}

// UnregisterSynchronization is the system call that removes a header from the synchronization
// header table. With last the synchronization ID becomes free; then no other member may send a
// packet with it again. If a packet waits in a switch, the ID stays with the set (our choice).
func (n *NIC) UnregisterSynchronization(dest uint16, last bool) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	members, sid, _ := n.own.lookUpSync(int(dest))
	was := n.own.dropHeader(regSyncs, regSyncLimit, &n.spareSyncs, dest)
	if set := n.table(sid); was && last && atomic.LoadUint64(&set[1]) == 0 {
		atomic.CompareAndSwapUint64(&set[0], members, 0)
	}
	return n.dropped(was)
}

// FreeSid returns a synchronization ID below a limit that belongs to no set at the moment, or -1.
func (n *NIC) FreeSid(limit int) int {
	for sid := range min(limit, Sids) {
		if atomic.LoadUint64(&n.table(sid)[0]) == 0 {
			return sid
		}
	}
	return -1
}

// takeSid reserves a sid for a set, and reports whether the set has it.
func (n *NIC) takeSid(sid int, members uint64) bool {
	set := n.table(sid)
	return atomic.CompareAndSwapUint64(&set[0], 0, members) || atomic.LoadUint64(&set[0]) == members
}

// table returns an entry of the synchronization tables in the switches, which are a single one on
// the fast path: the set that has the sid, and the members whose packets have arrived.
func (n *NIC) table(sid int) []uint64 {
	return nodeOf(n.f, 0).public[pubSwitch+2*sid:][:2:2]
}
