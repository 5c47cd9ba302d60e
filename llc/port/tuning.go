package port

import (
	"time"

	"rhinet/internal/vec"
)

// Tunables.
const (
	// firstAnswers is how many answers a transfer needs before it is offered or its sender is invited: a
	// claim word, and a segment.
	firstAnswers = 2
	// burst is how many events Test and Probe take at most before they return false.
	burst = 256
	// gateYields is how often a goroutine that wants to enter yields before it sleeps for gateNap between
	// tries.
	gateYields = 1000
	gateNap    = 20 * time.Microsecond
	// glances is how often a waiter polls the line where it expects its packet between two progress calls,
	// which take about as long as all of these polls; condGlances is the same for a condition.
	glances     = 48
	condGlances = 8
	// earlyLooks is the number of fruitless polls after which a receive that waits also fetches the lines of the
	// payload that it waits for, again before each further poll, if the last one had at most earlyBytes. The
	// writer must then take away these lines as well as the one that is polled, but all come back together: 64
	// bytes in the data area took 0.51 us one way instead of 0.60. A PingPing, whose wait is shorter, takes
	// longer if payloads are fetched after fewer polls, and so does a PingPong of 1 KiB and more.
	earlyLooks = 4
	earlyBytes = 511
	// shunned is how many receives do not try the lane after one whose message was not plain, or had come
	// before it: most likely their messages are not plain either.
	shunned = 64
	// delayWaits is the number of receives that had to wait after which their poll delay is chosen anew.
	// There is no delay for rounds of more than longRound nanoseconds, or if more than fewInstant waits end
	// at their first poll. Otherwise it is one unit for every delayShare nanoseconds of a round, or for every
	// apartShare if the payload lies in other lines. A delay that does not help is tried again after
	// delayPause choices, and then after twice as many each time, up to mostFailed doublings. With a fixed
	// delay 8 bytes take 0.204 us one way at 0, 0.174 at 8, 0.151 at 10, 0.173 at 16, 0.240 at 32; 64 bytes
	// in the data area 0.282 at 0, 0.302 at 16, 0.219 at 20, 0.263 at 32; an exchange of 8 bytes takes 0.52 us
	// at 0, 0.57 at 2, 0.78 at 10.
	delayWaits = 256
	longRound  = 700
	fewInstant = 64
	delayShare = 30
	apartShare = 21
	delayPause = 2
	mostFailed = 6
	// briefLooks is the number of polls after which a wait is no longer brief, so that the cost of measuring
	// it is small beside it.
	briefLooks = 8
	// politeYields is how often a rank that shares its processor yields before it polls the network in a wait
	// for a condition.
	politeYields = 2
	// loneLooks is how often a rank that shares its processor yields in the lane before it takes what other
	// peers have sent. A program that receives from several peers, one after the other, then finds most of
	// the messages in the lane. A message that has been taken is copied twice, and sends the next receives
	// down the slow path.
	loneLooks = 4
	// condDelay is the poll delay before the first look for a condition of a wait that begins by raising a flag;
	// other waits, such as for nonblocking calls, begin some time after it. Ranks in step raise their flags at
	// the same time, and a rank that looks at another's flag before it is written makes the writer fetch the
	// line a second time; the line is prefetched for write as well. The best delay differs between processors: a
	// barrier of two takes 0.8 of the time without one on some, and 0.8 of the time at 4 on others. soonLooks is
	// how often a rank looks before its first progress call: with that it takes about the same at any delay up to 3.
	condDelay = 2
	soonLooks = 16
	// missesPerYield is how many fruitless Tests and Probes pass before one yields the processor; when there
	// are more ranks than processors each of them does, but of Tests of many requests in turn one a pass.
	missesPerYield = 64
	// auditPause is the least time between two audits by waits that sleep; missesPerAudit is how many
	// fruitless Tests and Probes pass before one considers an audit.
	auditPause     = 200 * time.Millisecond
	missesPerAudit = 1024
	// giveUp is how long a port that has lost a peer waits for the others.
	giveUp = time.Second
	// cedeTurns is how often a poller that gave up the lock yields to the goroutines that want it.
	cedeTurns = 64

	// lastLooks is how often a goroutine polls the network before it sleeps: what the engine tries again may
	// have an answer at once.
	lastLooks = 3
	// stalledNap bounds a sleep while the engine waits for room: no peer rings when a full ring has room
	// again.
	stalledNap = time.Millisecond

	// The helper comes back after shortTick if it found something the last time, and after pauses that double
	// up to longTick otherwise; after quietTicks with nothing under way it stops.
	shortTick  = 500 * time.Microsecond
	longTick   = 8 * time.Millisecond
	quietTicks = 8

	// virtualNap bounds a sleep in virtual time, in real time.
	virtualNap = time.Minute

	// grace is how long Close goes on without any progress; drainNap is the pause between its polls.
	grace    = time.Second
	drainNap = 100 * time.Microsecond
)

// asksOf: one of so many messages that a lane sends or receives through the translator asks it for a ring
// past it: there is none when a job begins. The number is odd, because most programs send and receive in
// turn.
const asksOf = 15

// longRun is the shortest packet for which it pays to find out whether its bytes lie in one block.
const longRun = 4 << 10

// pipelined is the largest packet, in bytes, of a message in several packets whose sender waits, in Send
// or Sendrecv: most likely the receiver waits too, and copies one packet out while the next one is copied
// in. A message that was only started goes in packets as long as the NIC takes: one of the two sides has
// something else to do. Where ranks share processors the larger packets are no gain: a Bcast of 16 KiB on
// 4 ranks and 2 processors took 2.6 and 3.3 us. With 8 and with 16 KiB for both kinds of send: a PingPong
// of 16 KiB 2.05 and 2.14 us, a Sendrecv 2.44 and 2.52, but a Bcast on two ranks 1.65 and 1.53, a Gather
// 1.76 and 1.57.
//
// Where copies are by lines (vec.ByLines) it is twice as much: a Sendrecv of 16 KiB takes 2.9 us in packets of
// 8 KiB and 2.3 in one of 16, one of 32 KiB 5.0 and 4.0; a PingPong of 32 KiB 3.3 and 3.0. Other calls, and ranks
// that share processors, take as long with either.
var pipelined = pipelinedPacket()

func pipelinedPacket() int {
	if n := 16 << 10; vec.ByLines(n) {
		return n
	}
	return 8 << 10
}
