package mpi

import (
	"maps"
	"slices"
	"strings"
	"sync"
	"time"
)

// In a checked job (see Job.Check) Finalize names the partitioned requests that have not found a matching one at the
// other rank: MPI 4.1, section 4.2.1, has each PsendInit match a PrecvInit.

// Partners are the partitioned requests of a checked job that may not have met their partners.
type partners struct {
	mu   sync.Mutex
	open map[*partitioned]struct{}
}

// await notes that p looks for its partner.
func (k *partners) await(p *partitioned) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.open == nil {
		k.open = map[*partitioned]struct{}{}
	}
	k.open[p] = struct{}{}
}

// leave notes that p has met its partner, or never will.
func (k *partners) leave(p *partitioned) {
	k.mu.Lock()
	delete(k.open, p)
	k.mu.Unlock()
}

// unmet lists those that have not met when the transport has been closed, which ends their waits.
func (k *partners) unmet() []*partitioned {
	late := time.After(patience) // a transport need not end the waits of its rank
	for _, p := range k.list() {
		select {
		case <-p.met:
		case <-late:
			return k.list()
		}
	}
	return k.list()
}

// list returns those that have not left, in the order of their names.
func (k *partners) list() []*partitioned {
	k.mu.Lock()
	defer k.mu.Unlock()
	return slices.SortedFunc(maps.Keys(k.open), func(p, q *partitioned) int { return strings.Compare(p.String(), q.String()) })
}

// String names the request for the report of Finalize.
func (p *partitioned) String() string {
	e := Error{Call: p.site.call, Comm: p.c.name, Peer: p.site.peer, Tag: p.site.tag, role: p.site.role}
	text := strings.TrimSuffix(strings.TrimPrefix(e.Error(), "mpi: "), ": ")
	if p.made != nil {
		text += " (" + p.made.String() + ")"
	}
	return text
}
