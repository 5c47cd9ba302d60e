package port

// A state is the set of conditions that hold in a port.
type state uint8

const (
	polling state = 1 << iota // a goroutine polls and is not asleep
	asleep                    // a goroutine sleeps on the doorbell
	woke                      // parked goroutines were made runnable
	last                      // the engine does not try again: a sleep comes next
	closed                    // every wait ends
	drained                   // Close has been called
	sampled                   // the next call that is counted is timed
	due                       // tasks can be carried on
)

// is reports whether any of s holds.
func (p *Port) is(s state) bool { return p.state&s != 0 }

func (p *Port) set(s state) { p.state |= s }

func (p *Port) clear(s state) { p.state &^= s }
