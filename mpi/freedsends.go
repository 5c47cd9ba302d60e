package mpi

import (
	"errors"
	"slices"

	"rhinet/llc"
)

// A send whose request was freed must still be received. In Finalize the ranks refuse those that were not, and the sender
// names them.

// freed notes that the program has freed the request of p.
func (k *requestPool) freed(p *transfer) {
	k.mu.Lock()
	p.freed = p.err == nil && !p.null && (p.kind == sending || p.kind == sendingSync)
	k.mu.Unlock()
}

// unfreed notes how p has ended.
func (k *requestPool) unfreed(p *transfer) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if p.freed && p.c.w.finalizing.Load() && p.refused() {
		k.untaken = append(k.untaken, p.String())
	}
	p.freed = false
}

// refused reports whether a send has ended since its receiver has ended the use of the communicator.
func (p *transfer) refused() bool { return errors.Is(p.Status.Err, llc.ErrShut) }

// notTaken lists the sends whose requests were freed, and that nobody has received. The transport is closed.
func (k *requestPool) notTaken() []string {
	k.mu.Lock()
	defer k.mu.Unlock()
	list := slices.Concat(k.untaken, k.list(func(p *transfer) bool { return p.freed && p.refused() }))
	slices.Sort(list)
	return list
}
