package ib

import (
	"sync/atomic"

	"rhinet/nicemu/fabric"
)

// An adapter is the memory of one rank's adapter as another adapter sees it: tables that only its
// own process writes, and memory that all adapters write.
type adapter struct{ tables, public []uint64 }

// An entry is one line of a table.
type entry [entryWords]uint64

func adapterOf(f *fabric.Fabric, rank int) adapter {
	return adapter{f.Words(rank, fabric.Device), f.Words(rank, fabric.Public)}
}

func (a adapter) line(at int) *entry { return (*entry)(a.tables[at : at+entryWords]) }

func (a adapter) qp(i int) *entry { return a.line(regQPs + i*entryWords) }

func (a adapter) region(i int) *entry { return a.line(regRegions + i*entryWords) }

func (a adapter) queue(i int) *entry { return a.line(regQueues + i*queueWords) }

// wqe returns the place of entry n of a receive queue.
func (a adapter) wqe(queue int, n uint64) []uint64 {
	return a.tables[regQueues+queue*queueWords+entryWords+int(n%Depth)*wqeWords:][:wqeWords]
}

func (a adapter) cq(i int) *entry { return a.line(regCQs + i*entryWords) }

// shared returns the line of a completion queue that all adapters write.
func (a adapter) shared(cq int) *entry {
	return (*entry)(a.public[pubCQs+cq*completionWords:][:entryWords])
}

// completion returns entry n of a completion queue.
func (a adapter) completion(cq int, n uint64) *entry {
	return (*entry)(a.public[pubCQs+cq*completionWords+entryWords+int(n%CQDepth)*entryWords:][:entryWords])
}

// taken returns the number of consumed entries of a receive queue.
func (a adapter) taken(queue int) *uint64 { return &a.public[pubTaken+queue*entryWords] }

// holds returns the number of transfers in progress in a region.
func (a adapter) holds(region int) *uint64 { return &a.public[pubHolds+region*entryWords] }

// up reports whether the subnet manager has brought the port up.
func (a adapter) up() bool { return atomic.LoadUint64(&a.tables[regPort]) == portActive }

func (e *entry) load(i int) uint64     { return atomic.LoadUint64(&e[i]) }
func (e *entry) store(i int, v uint64) { atomic.StoreUint64(&e[i], v) }

// pieceBytes is the number of bytes after which a transfer checks again that the region is still
// there. It bounds how long a withdrawal waits (about 100 us).
const pieceBytes = 1 << 20
