package cenju4

import (
	"math/bits"
	"sync/atomic"
)

// synchronize sends the packet of a synchronization parcel: the switches collect it with those of
// the other members, and when all have arrived each member receives one (cenju4, section 2.3). On
// the fast path the last member delivers.
func (s *service) synchronize() Reason {
	n := s.nic
	members, sid, why := n.own.lookUpSync(int(s.parcel.Dest))
	if why != 0 {
		return why
	}
	table := n.table(sid)
	sent := &n.own.tables[regSyncSent+sid]
	switch {
	case members>>n.rank&1 == 0 || n.rank >= GroupNodes || atomic.LoadUint64(&table[0]) != members:
		return NoSet
	case *sent != n.Synchronized(sid):
		return Pending
	}
	atomic.StoreUint64(sent, *sent+1)
	n.count(Parcels, 1)
	n.count(Packets, 1)
	for bit := uint64(1) << n.rank; ; {
		came := atomic.LoadUint64(&table[1])
		now := came | bit
		if now == members {
			now = 0
		}
		if !atomic.CompareAndSwapUint64(&table[1], came, now) {
			continue
		}
		if now == 0 {
			n.releaseAll(members, sid)
		}
		return 0
	}
}

// releaseAll gives each member its packet: the Receiver records it in the Synchronization
// Notification Table. Our choice: the table counts, so that a late reader misses nothing.
func (n *NIC) releaseAll(members uint64, sid int) {
	for ; members != 0; members &= members - 1 {
		if rank := bits.TrailingZeros64(members); rank < n.ranks {
			atomic.AddUint64(&nodeOf(n.f, rank).public[pubArrived+sid], 1)
		}
	}
}

// Synchronized returns the number of synchronizations with an ID that have ended, according to the
// Synchronization Notification Table of this node.
func (n *NIC) Synchronized(sid int) uint64 {
	if uint(sid) >= Sids {
		return 0
	}
	return atomic.LoadUint64(&n.own.public[pubArrived+sid])
}
