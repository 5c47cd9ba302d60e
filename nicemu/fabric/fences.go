package fabric

import (
	"runtime"
	"sync"
	"sync/atomic"
	"time"
)

// fenceDelay is how long after its start a rank makes itself a target of the others' barriers. The
// kernel takes so long for it that a short job would spend most of its time on it; until then,
// ringers fence.
const fenceDelay = 100 * time.Millisecond

// fences makes the ranks of this process targets of the barriers of all ranks.
type fences struct {
	mu     sync.Mutex
	timers []*time.Timer
	over   bool
}

// begin registers a rank of this process after fenceDelay, in the background.
func (s *fences) begin(f *Fabric, rank int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.timers = append(s.timers, time.AfterFunc(fenceDelay, func() { s.register(f, rank) }))
}

// register makes this process a target of barriers and counts rank among the targets. If the kernel
// cannot do it, the rank is not counted, and ringers in that job always fence.
func (s *fences) register(f *Fabric, rank int) {
	if !readied() {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.over {
		return // the memory may be gone
	}
	if atomic.CompareAndSwapUint64(&f.Words(rank, Front)[wordProcess+2], 0, 1) {
		atomic.AddUint64(f.fenced(), 1)
	}
}

// readied calls barrierReady while another goroutine may compute. The blocked thread keeps its
// processor of the Go runtime until sysmon takes it away, which in a program that computes happens
// every 10 ms. A process with one processor, as where ranks share a host, would stand still, so it
// gets a second one meanwhile.
func readied() bool {
	if n := runtime.GOMAXPROCS(0); n == 1 {
		runtime.GOMAXPROCS(2)
		defer runtime.GOMAXPROCS(n)
	}
	return barrierReady()
}

// end stops registering. It does not wait for the kernel.
func (s *fences) end() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.over = true
	for _, t := range s.timers {
		t.Stop()
	}
}

// fenced is the number of ranks that are targets of barriers.
func (f *Fabric) fenced() *uint64 { return &words(f.mem[commonAt:bellsAt])[wordFenced] }
