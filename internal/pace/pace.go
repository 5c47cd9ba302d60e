// Package pace tells slow copies between processors from fast ones.
package pace

import "time"

const (
	// Copies of leastCopy to most bytes, and calls of leastCall on, are slow if they take more than slowKiB
	// nanoseconds for each KiB, below 6.5 bytes a nanosecond: 32 KiB run at 5.5 if another process has just
	// written them, otherwise at 19. Shorter copies end before their stores have. One copy in looks is timed, and
	// enough slow ones in a row count: where processors share no cache, 64 KiB that their owner has read last run
	// at 3 to 5 the first time, at 8 the second, and at 9 to 11 after that. There a PingPong of 64 KiB that nobody
	// writes took 11.1 us with 8 as the limit, because some went in packets, and 8.7 us with 6.5; written ones
	// take 20 us either way, and 22 with 5.5.
	//
	// Calls of at most brief bytes are slow if they take more than slowBriefKiB, below 10 bytes a nanosecond. There
	// the time to begin counts. Where that is long, a PingPong of 24 KiB takes 4.1 us if they
	// are read, and 3.7 us in packets; a Sendrecv 7.0 and 5.9 us.
	//
	// Calls of at most medium bytes are slow if they take more than that, and more than packetShare quarters of the
	// time that the same bytes take in packets: they become faster when they are made again and again, at last when
	// the memory is in huge pages. Between processors with a common cache 64 KiB take 5.2 to 8.5 us read, as the
	// kernel's copy runs, and 4.2 to 4.6 us in packets; on others 6.3, in huge pages 3.9, and 8. Without a common
	// cache they take 11, in huge pages 5, and 6.6 to 12. The time of packets is forgotten
	// after staleReads timed reads that were slow but for it: packets may have become faster. Where nobody times
	// packets, such calls are slow as brief ones are. Of these calls enoughMedium in a row count, because a program that
	// has several buffers reads each for the first time.
	leastCall    = 8 << 10
	leastCopy    = 4 << 10
	most         = 128 << 10
	slowKiB      = 158
	brief        = 32 << 10
	medium       = 64 << 10
	slowBriefKiB = 100
	packetShare  = 6
	staleReads   = 256
	looks        = 32
	enough       = 4
	enoughMedium = 8

	// Of messages in packets, of which leastPackets bytes or more are on their way, one in packetLooks is timed.
	leastPackets = 4 << 10
	packetLooks  = 16
)

// epoch is the origin of durations: reading the monotonic clock alone costs half as much as time.Now.
var epoch = time.Now()

// A Pace tells whether copies out of another process's memory, or to where one reads, are slow: what that process
// has just written or read lies in its processor's cache, and a copy from or to there takes several times as long
// as with a shared cache. It times one copy in a few, since reading the clock costs a thirtieth of a copy, and
// every copy while they are slow. Only several slow copies in a row count: if the same bytes are copied again and
// again, the first copy may bring them into a shared cache or the copier's own. Copies shorter or longer than
// those for which it matters are ignored. The zero Pace is ready for use.
type Pace struct {
	Clock func() time.Duration // since any origin, not 0; nil: the system's clock
	Calls bool                 // each copy is a system call

	left int // copies before the next that is timed
	slow int // timed copies in a row that were slow

	packets   int           // messages in packets before the next that is timed
	packetKiB time.Duration // of a KiB in packets, averaged; 0: not known
	reads     int           // timed since then that were slow but for the time of packets
}

// Begin is called before a copy of n bytes; of says whether it is a copy of that kind. It returns the
// argument of Slow.
func (p *Pace) Begin(n int, of bool) (begun time.Duration) {
	if !of || n > most || n < leastCopy || p.Calls && n < leastCall {
		return 0
	}
	if p.left--; p.left >= 0 {
		return 0
	}
	return p.now()
}

// now reads the clock.
func (p *Pace) now() time.Duration {
	if p.Clock != nil {
		return p.Clock()
	}
	return time.Since(epoch)
}

// Slow is called after the copy. It reports whether this copy and the enough-1 timed before it were slow,
// counting only copies since the last such report.
func (p *Pace) Slow(begun time.Duration, n int) bool {
	if begun == 0 {
		return false
	}
	return p.judge(p.now()-begun, n)
}

// judge is Slow for a copy that took the given time.
func (p *Pace) judge(took time.Duration, n int) bool {
	if took <= p.limit(took, n) {
		p.slow, p.left = 0, looks-1
		return false
	}
	if p.slow++; p.slow < p.inRow(n) {
		return false
	}
	p.slow = 0
	return true
}

// inRow returns how many slow copies in a row count, the last one of n bytes.
func (p *Pace) inRow(n int) int {
	if p.Calls && n > brief && n <= medium {
		return enoughMedium
	}
	return enough
}

// limit returns the longest time of a copy of n bytes that is not slow; took is the time of this one.
func (p *Pace) limit(took time.Duration, n int) time.Duration {
	of := func(perKiB time.Duration) time.Duration { return time.Duration(n) * perKiB >> 10 }
	switch {
	case !p.Calls || n > medium:
		return of(slowKiB)
	case n <= brief || took <= of(slowBriefKiB):
		return of(slowBriefKiB)
	}
	limit := min(max(p.packetKiB*packetShare/4, slowBriefKiB), slowKiB)
	if took <= of(limit) {
		if p.reads++; p.reads == staleReads {
			p.packetKiB, p.reads = 0, 0
		}
	}
	return of(limit)
}

// BeginPackets is called when the first packet of a message has come, and n bytes of it have not. It returns the
// argument of EndPackets.
func (p *Pace) BeginPackets(n int) (begun time.Duration) {
	if n < leastPackets {
		return 0
	}
	if p.packets--; p.packets >= 0 {
		return 0
	}
	p.packets = packetLooks - 1
	return p.now()
}

// EndPackets is called when they have come.
func (p *Pace) EndPackets(begun time.Duration, n int) {
	if begun == 0 {
		return
	}
	perKiB := max((p.now()-begun)<<10/time.Duration(n), 1)
	if p.packetKiB == 0 {
		p.packetKiB = perKiB
	}
	p.packetKiB, p.reads = (7*p.packetKiB+perKiB)/8, 0
}
