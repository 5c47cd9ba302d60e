package port

import "time"

// Tunables.
const (
	// burst is how many events Test and Probe take before they say no.
	burst = 256
	// gateYields is how often a goroutine that wants to enter lets others run
	// before it sleeps for gateNap between tries.
	gateYields = 1000
	gateNap    = 20 * time.Microsecond
	// glances is how often a waiter looks at the line where it expects its
	// packet between two turns, which take about as long as all of them;
	// condGlances the same for a condition.
	glances     = 48
	condGlances = 8
	// mostLull bounds the lull before a first look, in PAUSEs (together about a
	// microsecond); nearLooks is how many looks in vain, each with its glances,
	// mean that the first was only a little early; oftenLate is how many waits
	// in a row may find their packet at once before that is no ping-pong. With the lull 8 bytes take
	// 0.160 us one way, without it 0.196.
	mostLull  = 24
	nearLooks = 6
	oftenLate = 4
	// politeYields is how often a rank that shares its processor lets others run
	// before it looks at the network in a wait for a condition.
	politeYields = 2
	// condLull is the lull before the first look for a condition, in PAUSEs.
	// Ranks in step raise their flags at once, and whoever looks at the other's
	// before it is written makes its writer fetch the line a second time: with
	// the pause, and the line claimed ahead, a barrier of two takes 0.15 us, with
	// either alone 0.18.
	condLull = 1
	// missesPerYield is how many fruitless Tests and Probes pass before one gives
	// the processor away; when there are more ranks than processors each does.
	missesPerYield = 64
	// cedeTurns is how often a poller that gave up the lock waits for those who want it.
	cedeTurns = 64

	// lastLooks is how often a goroutine looks at the network before it sleeps:
	// what the engine tries again may have an answer at once.
	lastLooks = 3
	// stalledNap bounds a sleep while the engine waits for room: nobody rings
	// when a full ring has room again.
	stalledNap = time.Millisecond

	// The helper looks after the port after shortTick if it found something
	// the last time, else ever less often up to longTick; after quietTicks
	// with nothing under way it stops.
	shortTick  = 500 * time.Microsecond
	longTick   = 8 * time.Millisecond
	quietTicks = 8

	// grace is how long Close goes on without any progress; drainNap is its pause.
	grace    = time.Second
	drainNap = 100 * time.Microsecond
)
