package port

import "time"

// Tunables.
const (
	// firstAnswers is how many answers a transfer takes before it is offered or the
	// sender of one is invited: a claim word, and a segment.
	firstAnswers = 2
	// burst is how many events Test and Probe take before they say no.
	burst = 256
	// gateYields is how often a goroutine that wants to enter lets others run
	// before it sleeps for gateNap between tries.
	gateYields = 1000
	gateNap    = 20 * time.Microsecond
	// glances is how often a waiter polls the line where it expects its
	// packet between two progress calls, which take about as long as all of them;
	// condGlances the same for a condition.
	glances     = 48
	condGlances = 8
	// pipelined is the most bytes of a packet of a message in several whose sender waits for it, in Send or Sendrecv: most likely somebody waits at the other
	// side, too, and copies one out while the next is copied in. A message that was only started goes in packets as long as the NIC
	// takes: its sender has something else to do, or the other side has. Where ranks share processors that is no gain: a Bcast of 16 KiB on 4 ranks and 2 processors 2.6 and 3.3 us. Both ways with 8 and with 16 KiB: a PingPong of 16 KiB
	// 2.05 and 2.14 us, a Sendrecv 2.44 and 2.52, but a Bcast on two ranks 1.65 and 1.53, a Gather 1.76 and 1.57.
	pipelined = 8 << 10
	// shunned is how many receives do not try the lane after one whose message was
	// not plain, or had come before it: most likely theirs are not plain either.
	shunned = 64
	// lullWaits is after how many receives that had to wait their poll delay is
	// chosen anew. There is none for rounds of more than longRound nanoseconds, or if
	// more than fewInstant waits end at their first poll; a round has lullShare
	// nanoseconds for each unit, apartShare if the payload lies in other lines. Where
	// it does not help, it is tried again after lullPause choices, and then after twice
	// as many each time, up to mostFailed times. With a fixed delay 8 bytes take 0.204 us one way at 0,
	// 0.174 at 8, 0.151 at 10, 0.173 at 16, 0.240 at 32; 64 bytes 0.282 at 0, 0.302 at 16, 0.219 at 20, 0.263 at 32; an exchange of 8 bytes takes
	// 0.52 us at 0, 0.57 at 2, 0.78 at 10.
	lullWaits  = 256
	longRound  = 700
	fewInstant = 64
	lullShare  = 30
	apartShare = 21
	lullPause  = 2
	mostFailed = 6
	// briefLooks is after how many looks a wait is no longer brief, so that measuring
	// it costs little beside it.
	briefLooks = 8
	// politeYields is how often a rank that shares its processor lets others run
	// before it looks at the network in a wait for a condition.
	politeYields = 2
	// loneLooks is how often a rank that shares its processor lets others run in the lane before it takes what
	// other peers have sent. A program that receives from several, one after the other, finds most of it in
	// the lane then; what has been taken is copied twice, and has the next receives go the long way.
	loneLooks = 4
	// condLull is the poll delay before the first look for a condition.
	// Ranks in step raise their flags at once, and whoever looks at the other's
	// before it is written makes its writer fetch the line a second time: with
	// the pause, and the line claimed ahead, a barrier of two takes 0.146 us (at 2:
	// 0.171, at 8: 0.179), with either alone 0.18.
	condLull = 4
	// missesPerYield is how many fruitless Tests and Probes pass before one gives
	// the processor away; when there are more ranks than processors each does.
	missesPerYield = 64
	// auditPause is the least time between two audits by waits that sleep;
	// missesPerAudit is how many fruitless Tests and Probes pass before one thinks
	// of it.
	auditPause     = 200 * time.Millisecond
	missesPerAudit = 1024
	// giveUp is how long a port that has lost a peer waits for the others.
	giveUp = time.Second
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

	// virtualNap bounds a sleep in virtual time, in real time.
	virtualNap = time.Minute

	// grace is how long Close goes on without any progress; drainNap is its pause.
	grace    = time.Second
	drainNap = 100 * time.Microsecond
)

// A lane asks the translator for a way past it after one of so many messages, sent and received: it has none when a job begins. The
// number is odd, because most programs send and receive in turn.
const asksOf = 15
