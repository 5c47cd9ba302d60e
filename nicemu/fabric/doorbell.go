package fabric

import (
	"sync/atomic"
	"time"

	"rhinet/internal/ring"
)

// Words of a rank's front page, which only the rank itself writes. They are two lines apart,
// because processors fetch lines in pairs.
const (
	wordProcess = 32 // pid, address of the region, whether barriers reach it, the peer it has lost, whether it is in the world; read by peers and the launcher
	wordStatus  = 48 // read by the launcher
)

// The words of a rank's line among the bells, which every rank that wakes this one writes: the word
// that a ringer reads each time, and the one that it increments only if it must wake the rank.
const (
	wordAsleep = 0
	wordBell   = 1 // futex
)

// napLimit bounds a sleep that a ring may fail to end: this side does not fence the ringers, which rely on that
// fence.
const napLimit = time.Millisecond

// A Doorbell wakes one rank. The rank arms it, looks once more for work, and sleeps; a peer that
// publishes something for the rank rings it.
//
// Ringing a rank that is awake is one load. What makes this safe without a fence after each
// publication is the fence that Arm issues on all processors that run a rank (membarrier): a
// publication is either visible once Arm has returned, or its publisher sees the rank armed. Until
// this fence reaches every rank, sleeps are short where each rank has a processor: there a rank seldom
// sleeps, and a fence after each publication waits for all of the sender's stores, one line after the other.
// Where ranks share processors, and between goroutines, Ring fences instead.
//
// The barrier interrupts every processor that runs a rank, tens of microseconds where these are virtual. A
// sleep that follows one that was ended by a ring will most likely be ended soon as well: it does without, and
// is short. Only the sleep after one that nothing ended is fenced, and long.
type Doorbell struct {
	asleep  *uint32 // set by the sleeper, cleared by the ringer or by the sleeper
	bell    *uint32
	fenced  *uint64       // number of ranks that Arm's fence reaches
	ranks   uint64        // number of all ranks
	heard   uint32        // value of bell when armed; owned by the sleeper
	nap     bool          // this sleep is short, because Arm has not fenced
	rung    bool          // a ring has ended the last sleep
	blind   bool          // the kernel does not fence, although registration succeeded
	naps    bool          // sleeps are short until Arm's fence reaches every rank
	own     uint32        // private word, for the fence in Ring
	reached bool          // Ring need not fence, now and from now on
	ready   chan struct{} // for ranks that are goroutines: holds one token; else nil
	timer   *time.Timer   // for ranks that are goroutines: the sleeper's
}

// napsAtFirst reports whether sleeps are short until Arm's fence reaches every rank: where each rank is a process
// with a processor, and the kernel will fence.
func (f *Fabric) napsAtFirst() bool { return f.shared && f.geo.Ring.Spread && barrierKnown() }

func (d *Doorbell) open(f *Fabric, rank int, naps bool) {
	line := words(f.mem[bellsAt+rank*ring.LineBytes:][:ring.LineBytes])
	d.asleep, d.bell = half(&line[wordAsleep]), half(&line[wordBell])
	d.fenced, d.ranks = f.fenced(), uint64(f.ranks)
	if !f.shared {
		d.ready = make(chan struct{}, 1)
	}
	d.naps, d.reached = naps, naps
}

// Bell returns the doorbell of a rank.
func (f *Fabric) Bell(rank int) *Doorbell { return &f.bells[rank] }

// Arm announces that the rank is about to sleep. Everything published before Arm returns can be
// seen, and a peer that publishes later rings, unless the sleep is short. Arm, Sleep and Disarm
// belong to one goroutine at a time.
func (d *Doorbell) Arm() {
	if d.ready != nil {
		select {
		case <-d.ready: // rung after the last sleep
		default:
		}
		atomic.StoreUint32(d.asleep, 1)
		return
	}
	d.heard = atomic.LoadUint32(d.bell)
	atomic.StoreUint32(d.asleep, 1)
	// Unless sleeps are short meanwhile, a ringer that omits its fence has seen that all ranks are registered. If
	// that is not visible here yet, asleep was set before it, and the ringer sees asleep.
	if atomic.LoadUint64(d.fenced) < d.ranks {
		d.nap = d.naps
		return
	}
	if d.nap = d.rung || d.blind; !d.nap {
		d.blind = !barrier()
		d.nap = d.blind
	}
}

// Sleep blocks until the doorbell rings or d has passed. It may return early.
func (d *Doorbell) Sleep(limit time.Duration) {
	if limit <= 0 {
		return
	}
	if d.ready == nil {
		if d.nap {
			limit = min(limit, napLimit)
		}
		futexWait(d.bell, d.heard, limit)
		d.rung = atomic.LoadUint32(d.bell) != d.heard
		return
	}
	if d.timer == nil {
		d.timer = time.NewTimer(limit)
	} else {
		d.timer.Reset(limit)
	}
	select {
	case <-d.ready:
	case <-d.timer.C:
	}
	d.timer.Stop()
}

// Disarm cancels Arm and reports whether the doorbell has rung since.
func (d *Doorbell) Disarm() (rung bool) { return atomic.SwapUint32(d.asleep, 0) == 0 }

// Ring wakes the rank if it is armed. The caller has already published its data.
func (d *Doorbell) Ring() {
	if !d.reached || atomic.LoadUint32(d.asleep) != 0 { // small enough to be inlined
		d.ringArmed()
	}
}

// ringArmed is Ring for a rank that may be armed.
func (d *Doorbell) ringArmed() {
	if !d.reached {
		d.fence()
	}
	if atomic.LoadUint32(d.asleep) != 0 {
		d.wake()
	}
}

// fence issues the fence that Arm may not have issued for this process.
func (d *Doorbell) fence() {
	if d.ready != nil || atomic.LoadUint64(d.fenced) < d.ranks {
		atomic.AddUint32(&d.own, 0)
	} else {
		d.reached = true
	}
}

// Word returns a word that is 0 as long as Ring has nothing to do, for callers that check before
// they ring. It is nil as long as Ring must be called each time.
func (d *Doorbell) Word() *uint32 {
	if !d.reached {
		return nil
	}
	return d.asleep
}

// Asleep reports whether the rank is armed.
func (d *Doorbell) Asleep() bool { return atomic.LoadUint32(d.asleep) != 0 }

// wake makes the system call in the first of several publishers only.
func (d *Doorbell) wake() {
	if !atomic.CompareAndSwapUint32(d.asleep, 1, 0) {
		return
	}
	if d.ready != nil {
		select {
		case d.ready <- struct{}{}:
		default:
		}
		return
	}
	atomic.AddUint32(d.bell, 1)
	futexWake(d.bell)
}
