package fabric

import (
	"sync/atomic"
	"time"

	"rhinet/internal/ring"
)

// The front page of a rank, which only the rank itself writes. Words two lines
// apart, because processors fetch lines in pairs.
const (
	wordProcess = 32 // pid, address of the region, whether barriers reach it, whom it has lost; read by peers
	wordStatus  = 48 // read by the launcher
)

// The words of a rank's line among the bells, which everybody writes who wakes
// the rank: what a ringer looks at each time, and what it raises only then.
const (
	wordAsleep = 0
	wordBell   = 1 // futex
)

// napLimit bounds a sleep where ringing may be missed: no way to fence the
// ringing side, which trusts that there is.
const napLimit = time.Millisecond

// A Doorbell wakes one rank. The rank arms it, looks once more for work, and
// sleeps; whoever makes something visible to the rank rings it.
//
// Ringing a rank that is awake is one load. What makes this safe without a
// fence after each publication is the fence that Arm puts into all processors
// that run a rank (membarrier): a publication is either visible once Arm has
// returned, or its publisher sees the rank armed. As long as not every rank
// can be reached by that fence, and between goroutines, Ring fences instead.
type Doorbell struct {
	asleep  *uint32 // set by the sleeper, cleared by whoever rings or by the sleeper
	bell    *uint32
	fenced  *uint64       // number of ranks that Arm's fence reaches
	ranks   uint64        // number of all ranks
	heard   uint32        // bell when armed; owned by the sleeper
	nap     bool          // this sleep is short, because Arm should have fenced and could not
	blind   bool          // the kernel does not fence though it said it would
	own     uint32        // nobody else's; what Ring fences with
	reached bool          // every rank is reached by Arm's fence, and stays so
	ready   chan struct{} // ranks as goroutines: takes one token; else nil
	timer   *time.Timer   // ranks as goroutines: of the sleeper
}

func (d *Doorbell) open(f *Fabric, rank int) {
	line := words(f.mem[bellsAt+rank*ring.LineBytes:][:ring.LineBytes])
	d.asleep, d.bell = half(&line[wordAsleep]), half(&line[wordBell])
	d.fenced, d.ranks = f.fenced(), uint64(f.ranks)
	if !f.shared {
		d.ready = make(chan struct{}, 1)
	}
}

// Bell returns the doorbell of a rank.
func (f *Fabric) Bell(rank int) *Doorbell { return &f.bells[rank] }

// Arm announces that the rank is about to sleep. From its return on, whoever
// makes something visible rings; what was made visible before can be seen.
// Arm, Sleep and Disarm belong to one goroutine at a time.
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
	// Whoever rings without a fence has seen the last rank become a target.
	// Where that is yet to come here, asleep is set before, and seen by the ringer.
	d.nap = d.blind
	if !d.nap && atomic.LoadUint64(d.fenced) >= d.ranks && !barrier() {
		d.blind, d.nap = true, true
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

// Disarm withdraws Arm and reports whether the doorbell has rung since.
func (d *Doorbell) Disarm() (rung bool) { return atomic.SwapUint32(d.asleep, 0) == 0 }

// Ring wakes the rank if it is armed. The caller has published before.
func (d *Doorbell) Ring() {
	if !d.reached || atomic.LoadUint32(d.asleep) != 0 { // small enough to be inlined
		d.rouse()
	}
}

// rouse is Ring of a rank that may be armed.
func (d *Doorbell) rouse() {
	if !d.reached {
		d.fence()
	}
	if atomic.LoadUint32(d.asleep) != 0 {
		d.wake()
	}
}

// fence is a fence where Arm may have none.
func (d *Doorbell) fence() {
	if d.ready != nil || atomic.LoadUint64(d.fenced) < d.ranks {
		atomic.AddUint32(&d.own, 0)
	} else {
		d.reached = true
	}
}

// Word returns where it shows that Ring has more to do than to look there: it is not 0 then. It is nil as long as Ring
// has more to do each time.
func (d *Doorbell) Word() *uint32 {
	if !d.reached {
		return nil
	}
	return d.asleep
}

// Asleep reports whether the rank is armed.
func (d *Doorbell) Asleep() bool { return atomic.LoadUint32(d.asleep) != 0 }

// wake lets the first of several publishers do the work.
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
