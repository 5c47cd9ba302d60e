// Package hugepage has the kernel keep memory in huge pages that is transferred again and again. The kernel's
// copy from process to process looks every page up, which takes longer than the copy: between two cores that
// share no cache, 4 MiB that both sides read of each other take 180 us in huge pages and 420 us in others.
//
// To move what is there into a huge page (MADV_COLLAPSE, madvise(2)) takes 0.2 to 1 ms where there is free
// memory, less than the program has waited for the same memory when it first wrote to it, page by page (1.1 to
// 1.5 ms), and as much as 10 to 30 messages of a whole page gain. How often a program sends the same memory again
// is not known. So memory is moved once it has been a part of about a dozen messages, and of a few of its own
// length: a program that goes on gains more than it has lost, and one that has ended by then, as a sort of ten
// rounds, loses nothing. In a virtual machine memory that its host has not given yet takes 6 to 10 ms, and
// elsewhere the kernel may have to make room first; while the huge pages are as dear as that, each needs twice the
// bytes of the one before, up to so many that they pay for it. Where ranks share processors, the others wait meanwhile, for the processor and for the memory that
// they are about to read, so it is worth its time later: with 4 ranks on 2 processors, twice as many transfers
// took 0.5 to 1 of the time in the first 10 ms, and with 16 ranks four times as many 0.3 to 1.1. Contents and
// addresses stay as they are. What lies beside a buffer in the same huge page comes
// with it, and so needs memory, at most one huge page at each end.
package hugepage

import (
	"errors"
	"fmt"
	"time"
)

// Variable is the environment variable that says whether the ranks of a job use huge pages.
const Variable = "RHINET_HUGEPAGES"

const (
	auto = "auto"
	off  = "off"
)

const (
	// size is that of a huge page in bytes. Where it is another one, there are none.
	size = 2 << 20
	// least is the shortest transfer in bytes that gains: of 64 KiB it takes 7.1 us in place of 8.6.
	least = 64 << 10
	// often is how many transfers of a huge page there are before it is made. A message of its length is two or
	// three: it is offered whole, and either side moves a half.
	often = 32
	// enough is how many bytes of a huge page are transferred before it is made by a rank that has a processor
	// to itself, and dearEnough how many at most after pages that took longer than dear. Ranks that share
	// processors wait for as many times enough as there are ranks to a processor, but no more than mostCrowded.
	enough      = 4 * size
	mostCrowded = 4
	dearEnough  = 64 * size
	dear        = 2 * time.Millisecond
	// places is how many are watched at a time.
	places = 256
	// mostRefused is how often the kernel may refuse in a row before it is not asked again: it searches for
	// free memory.
	mostRefused = 16
)

// Check returns what is wrong with the value of [Variable]: it is auto, off, or empty, which means auto.
func Check(value string) error {
	switch value {
	case "", auto, off:
		return nil
	}
	return fmt.Errorf("huge pages %q; it is %s or %s", value, auto, off)
}

// Pages counts how often memory of this process is transferred. One goroutine at a time may use it. A nil
// *Pages does nothing.
type Pages struct {
	ask     func(at uintptr) error // makes one huge page
	usable  func() error           // why there are none
	asked   bool                   // usable
	off     bool
	refused int    // in a row
	cheap   uint64 // bytes before a page is made, while pages are not dear
	enough  uint64 // bytes before the next page is made
	clock   func() time.Duration
	watched [places]place
}

// A place is where a huge page is or may be.
type place struct {
	number uintptr // its address divided by size
	moved  uint64  // bytes transferred
	times  uint32  // how often
	huge   bool
}

// New returns the pages of a process for a value of [Variable]: nil if they are switched off. crowd is how many
// ranks there are to a processor.
func New(value string, crowd int) *Pages {
	if value == off {
		return nil
	}
	begun, n := time.Now(), uint64(enough*max(1, min(crowd, mostCrowded)))
	return &Pages{ask: collapse, usable: usable, cheap: n, enough: n, clock: func() time.Duration { return time.Since(begun) }}
}

// Moved notes that the bytes of b are transferred.
func (p *Pages) Moved(b []byte) {
	if p == nil || len(b) < least || p.off {
		return
	}
	for at, end := address(b), address(b)+uintptr(len(b)); at < end; {
		next := min((at/size+1)*size, end)
		p.count(at/size, uint64(next-at))
		at = next
	}
}

// count adds to the bytes of a place.
func (p *Pages) count(number uintptr, n uint64) {
	s := &p.watched[number%places]
	if s.number != number {
		*s = place{number: number}
	}
	if s.huge {
		return
	}
	s.moved += n
	if s.times++; s.times >= often && s.moved >= p.enough {
		s.moved, s.times, s.huge = 0, 0, p.make(number) // if refused, again after as many: a peer may read it just now
	}
}

// make has the kernel make a huge page, and reports whether it did.
func (p *Pages) make(number uintptr) bool {
	if !p.asked {
		p.asked, p.off = true, p.usable() != nil
	}
	if p.off {
		return false
	}
	begun := p.clock()
	err := p.ask(number * size)
	if p.clock()-begun > dear {
		p.enough = min(2*p.enough, dearEnough)
	} else {
		p.enough = max(p.enough/2, p.cheap)
	}
	if err == nil {
		p.refused = 0
		return true
	}
	p.refused++
	p.off = p.refused >= mostRefused
	return false
}

// errNone says that there are no huge pages of the usual size.
var errNone = errors.New("hugepage: the system has none of 2 MiB, or has switched them off")
