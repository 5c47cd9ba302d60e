package launch

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"rhinet/internal/diagnosis"
	"rhinet/internal/output"
	"rhinet/internal/pmi"
)

const (
	grace       = 250 * time.Millisecond // between asking ranks to end and killing them
	startGrace  = 400 * time.Millisecond // for a start to end by itself after a signal: a job ends within a second
	insistence  = 5 * time.Second        // a second interrupt within this time kills
	echoTime    = 300 * time.Millisecond // equal signals within this time are one
	settleTime  = 20 * time.Millisecond  // in which a wait is recorded
	settleUse   = 10 * time.Millisecond  // the same, in processor time
	settleLimit = 250 * time.Millisecond // the end of a job must not take a second
	settleLook  = 2 * time.Millisecond
	desertCheck = 50 * time.Millisecond // between checks for ranks that were deserted
)

// A cause is why a job ends before its ranks are done, and its message.
type cause struct {
	status int
	text   string

	quiet     bool // say nothing
	impatient bool // do not wait for readers of the output that do not read
}

// A watcher makes the decisions about a running job. Its fields belong to the goroutine that calls Run.
type watcher struct {
	plan     *Plan
	ranks    *ranks
	mux      *output.Mux
	fabric   Fabric
	cancel   context.CancelCauseFunc // stops a build
	running  bool                    // every rank has been started
	ended    []bool                  // by rank
	cause    *cause                  // set once
	reported bool                    // the cause has been printed
	pending  []syscall.Signal        // signals that came while ranks were being started
	hasty    <-chan time.Time        // when the first of these ends the start
	passed   syscall.Signal          // last ending signal that was passed on
	passedAt time.Time
	heard    syscall.Signal // last signal that was not a repetition
	heardAt  time.Time
	waits    diagnosis.Waits
	lost     []loss     // lost ranks of a job that keeps going
	keeper   Timekeeper // nil: time is real
	stalls   <-chan Stall

	doubted   []diagnosis.Reading // at a stall that is not sure, until
	doubtEnds <-chan time.Time    // this

	suspectSince time.Time
	suspect      *exit // the likeliest root cause of a failure among the ranks that have ended
	recheck      <-chan time.Time
	oomKills     int // of the whole machine, before the start
	kill         <-chan time.Time
	timeout      <-chan time.Time
	still        *diagnosis.HangDetector
	stillCheck   <-chan time.Time
	check        <-chan time.Time

	lostHosts <-chan lostHost // nil: there is one host
}

// Run starts the job, waits for its end and returns its exit status. When it returns, no process,
// descriptor or file of the job is left; only if the job was told to end while nobody reads the output, the
// unwritten output stays behind in this process.
func (p *Plan) Run() int {
	job := p.job
	if job.Verbose {
		p.Print(job.Stderr)
	}
	signals := make(chan os.Signal, 64)
	notify(signals)
	defer signal.Stop(signals)

	fabric, hosts, err := p.open()
	if unready := (*Unready)(nil); errors.As(err, &unready) {
		fmt.Fprintf(job.Stderr, "%s: %v\n", job.Name, unready)
		return StatusFailed
	}
	if err != nil {
		fmt.Fprintf(job.Stderr, "%s: no memory for %s to share: %v%s\n", job.Name, plural(len(p.slots), "rank"), err, limits(err))
		return StatusFailed
	}
	defer fabric.Close()
	input, release, err := rankInput(job.Stdin)
	if err != nil {
		fmt.Fprintf(job.Stderr, "%s: no pipe for the input of rank 0: %v\n", job.Name, err)
		return StatusFailed
	}
	broken := make(chan error, 2)
	prompts := job.Stdin != nil && input != job.Stdin
	m := output.New(job.Stdout, job.Stderr, output.Options{Tag: job.Tag, Stamp: job.Stamp, Merge: job.Merge, Prompts: prompts},
		func(err error) { broken <- err })

	ctx, cancel := context.WithCancelCause(context.Background())
	defer cancel(nil)
	w := &watcher{
		plan:   p,
		ranks:  &ranks{list: make([]rank, len(p.slots)), away: hosts},
		mux:    m,
		fabric: fabric,
		cancel: cancel,
		ended:  make([]bool, len(p.slots)),

		oomKills: oomKills(),
	}
	w.keep(fabric)
	exits, ready := make(chan []exit, 16), make(chan error, 1)
	run := (&parent{plan: p, ranks: w.ranks, output: m, input: input, fabric: fabric, exits: exits, ready: ready}).run
	if hosts != nil {
		hosts.ranks, hosts.mux, hosts.input, hosts.exits, hosts.ready = w.ranks, m, input, exits, ready
		w.lostHosts = hosts.lost
		run = hosts.run
	}
	go func() {
		run(ctx)
		close(exits)
	}()
	w.watch(exits, ready, signals, broken)
	release()
	w.drain(signals, broken)
	return w.close()
}

// open creates the memory of a job. If its ranks are on several hosts, the daemons create it, and the
// coordinator reports what they say.
func (p *Plan) open() (Fabric, *coordinator, error) {
	if p.job.spread() {
		l := newCoordinator(p)
		return l, l, nil
	}
	f, err := p.job.Open(len(p.slots))
	return f, nil, err
}

// limits returns a likely reason of an error about memory.
func limits(err error) string {
	switch {
	case errors.Is(err, syscall.EFBIG):
		return "; ulimit -f may be too low"
	case errors.Is(err, syscall.ENOMEM):
		return "; ulimit -v may be too low, or this machine has no more"
	case errors.Is(err, syscall.EMFILE), errors.Is(err, syscall.ENFILE):
		return "; ulimit -n may be too low"
	}
	return ""
}

// watch handles events until no rank is left.
func (w *watcher) watch(exits <-chan []exit, ready <-chan error, signals <-chan os.Signal, broken <-chan error) {
	for {
		select {
		case err := <-ready:
			w.started(err)
		case batch, ok := <-exits:
			if !ok {
				// The parent has ended; if it could not start, the reason is still in ready.
				select {
				case err := <-ready:
					w.started(err)
				default:
				}
				w.judge(time.Now()) // no likelier cause can come
				return
			}
			w.exited(batch)
		case now := <-w.recheck:
			w.judge(now)
		case l := <-w.lostHosts:
			w.lostHost(l)
		case sig := <-signals:
			w.hear(sig.(syscall.Signal), time.Now())
		case <-w.hasty:
			w.hurry()
		case err := <-broken:
			w.end(brokenOutput(err))
		case <-w.timeout:
			w.end(&cause{
				status:    StatusTimeout,
				impatient: true,
				text:      fmt.Sprintf("the job was ended after its timeout of %v; what the ranks waited for:\n%s", w.plan.job.Timeout, diagnosis.Table(w.lookTwice())),
			})
		case <-w.kill:
			w.ranks.signal(syscall.SIGKILL)
		case s := <-w.stalls:
			w.stalled(s)
		case <-w.doubtEnds:
			w.doubt()
		case <-w.check:
			w.checkDeserted()
		case <-w.stillCheck:
			w.checkStill()
		}
	}
}

// started handles the parent's report that all ranks run, or why not.
func (w *watcher) started(err error) {
	w.running = true
	if err == nil {
		if d := w.plan.job.Timeout; d > 0 {
			w.timeout = time.After(d)
		}
		if d := w.plan.job.Stall; d > 0 {
			w.still = diagnosis.NewHangDetector(d)
			w.stillCheck = time.After(w.still.Every)
		}
		for _, sig := range w.pending {
			w.signalled(sig)
		}
		w.pending = nil
		return
	}
	c := &cause{status: StatusFailed, text: err.Error()}
	var interrupt *interrupted
	switch {
	case refused(err):
		c.status = StatusUsage
	case errors.As(err, &interrupt):
		c.status = statusSignal + int(interrupt.sig)
	}
	w.end(c)
}

// end begins the end of the job: living ranks are asked to end, and killed if they do not. The first cause
// counts.
func (w *watcher) end(c *cause) {
	if w.cause != nil {
		return
	}
	w.cause = c
	c.text = strings.TrimSuffix(c.text, "\n") + w.lostBefore()
	w.timeout, w.check, w.recheck, w.stillCheck = nil, nil, nil, nil
	w.ranks.stop.Store(true)
	w.cancel(errors.New(c.text))
	w.ranks.signal(syscall.SIGTERM)
	w.ranks.signal(syscall.SIGCONT) // a stopped rank could not end
	w.kill = time.After(grace)
}

// close reports why the job ended, if it failed, and returns its status.
func (w *watcher) close() int {
	if w.cause == nil {
		w.cause = w.losses()
	}
	if w.cause == nil {
		return 0
	}
	w.report()
	return w.cause.status
}

// look reads the status of every rank.
func (w *watcher) look() []diagnosis.Reading {
	if w.ranks.away != nil {
		w.ranks.away.refresh()
	}
	all := make([]diagnosis.Reading, len(w.ended))
	for r := range all {
		all[r] = diagnosis.Reading{Status: w.fabric.Status(r), Rank: r, Ended: w.ended[r]}
		all[r].For = all[r].Waited(w.fabric.Begin(), time.Now())
	}
	return all
}

// settle gives ranks time to record a wait that may just have begun: they do not record a wait that ends at
// once. If other processes need the processors, that takes a while: a runnable rank is given time until it
// has had a processor for settleUse.
func (w *watcher) settle() {
	begin := time.Now()
	before := map[int]time.Duration{}
	for {
		busy := false
		for _, r := range w.look() {
			if !r.Ended && r.State == pmi.Computing && w.mayNote(r.Rank, time.Since(begin), before) {
				busy = true
			}
		}
		if !busy || time.Since(begin) > settleLimit {
			return
		}
		time.Sleep(settleLook)
	}
}

// mayNote reports whether a rank that appears to compute may still record a wait; after is the time since
// the first look.
func (w *watcher) mayNote(r int, after time.Duration, before map[int]time.Duration) bool {
	now := w.ranks.used(r)
	if _, seen := before[r]; !seen {
		before[r] = now
	}
	return now-before[r] < settleUse && (after < settleTime || w.ranks.runnable(r))
}

// lookTwice reads the status of every rank, and again a little later if there seems to be a deadlock: ranks
// are not read at one instant, so that waits of different times can look like a cycle.
func (w *watcher) lookTwice() []diagnosis.Reading {
	all := w.look()
	if len(diagnosis.Cycles(all)) == 0 {
		return all
	}
	d, before := diagnosis.Rereading(len(all), w.plan.limit), w.times()
	time.Sleep(d)
	all = diagnosis.Stable(all, w.look())
	diagnosis.AtWork(all, before, w.times(), d)
	return all
}

// times returns how much processor time every rank has used.
func (w *watcher) times() []time.Duration {
	all := make([]time.Duration, len(w.ended))
	for r := range all {
		all[r] = w.ranks.used(r)
	}
	return all
}

// brokenOutput returns the cause for output that cannot be written.
func brokenOutput(err error) *cause {
	if errors.Is(err, syscall.EPIPE) {
		// The reader of our output has seen enough: end as other programs do then.
		return &cause{status: statusSignal + int(syscall.SIGPIPE), quiet: true}
	}
	return &cause{status: StatusFailed, text: fmt.Sprintf("cannot write the output of the ranks: %v", err)}
}
