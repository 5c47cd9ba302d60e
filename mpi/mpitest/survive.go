package mpitest

import (
	"fmt"
	"maps"

	"rhinet/llc"
)

// Survive has the end of a rank fail only the requests that name it.
func (b *mailbox) Survive(died func(peer int, why error)) bool {
	b.office.mu.Lock()
	defer b.office.mu.Unlock()
	b.died = died
	for r, o := range b.office.boxes {
		if o.failed {
			died(r, errPeerEnded)
		}
	}
	return true
}

// MarkFailed ends a rank for the others: their transfers with it fail.
func (b *mailbox) MarkFailed(rank int) {
	o := b.office
	o.mu.Lock()
	defer o.mu.Unlock()
	dead := o.boxes[rank]
	dead.failed = true
	for _, b := range o.boxes {
		if b == dead {
			continue
		}
		for r := range maps.Clone(b.open) {
			if r.Peer == rank {
				b.withdraw(r)
				r.Status.Err = errPeerEnded
			}
		}
		if b.died != nil {
			b.died(rank, errPeerEnded)
		}
		b.stir()
	}
}

var errPeerEnded = fmt.Errorf("%w: its process has ended", llc.ErrPeerGone)
