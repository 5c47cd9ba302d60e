package mpi

import (
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
func (k *partners) unmet() (list []*partitioned) {
	k.mu.Lock()
	open := make([]*partitioned, 0, len(k.open))
	for p := range k.open {
		open = append(open, p)
	}
	k.mu.Unlock()
	late := time.After(patience) // a transport need not end the waits of its rank
	for _, p := range open {
		select {
		case <-p.met:
			if !p.alone {
				continue
			}
		case <-late:
			late = time.After(0) // nor is there more time for the others
		}
		list = append(list, p)
	}
	return list
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
