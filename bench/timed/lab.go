package timed

import (
	"errors"

	"rhinet/nicemu/martini/timed"
	"rhinet/nicemu/network"
	"rhinet/nicemu/param"
	"rhinet/nicemu/vtime"
)

// A lab is the system on which one point is measured.
type lab struct {
	table    *param.Table
	sys      *timed.System
	programs []*timed.Process
	got      []inbox // by node: what has been delivered to it
}

// An inbox counts what has been delivered to a node.
type inbox struct{ count int }

// Progress implements timed.Watcher.
func (b *inbox) Progress(_ *timed.Transfer, s timed.Stage) {
	if s == timed.Delivered {
		b.count++
	}
}

// patience is the maximum number of events in a measurement: many times that of the longest one. A model
// that makes no progress runs out of events before.
const patience = 200_000_000

var (
	errStuck = errors.New("the timed model stands still before the measurement is over")
	errLong  = errors.New("the timed model takes too many events")
)

// build makes the nodes of a topology given by a rule: "pair", back to back, or "one:N", at one switch.
func (l *lab) build(rule string, o timed.Options) error {
	t, err := network.Generate(rule, 0)
	if err != nil {
		return err
	}
	if l.sys, err = timed.New(t, l.table, o); err != nil {
		return err
	}
	l.got = make([]inbox, l.sys.Nodes())
	return nil
}

func (l *lab) close() {
	if l.sys != nil {
		l.sys.Close()
	}
}

// start starts a program on a node.
func (l *lab) start(node int, program func(p *timed.Process) error) {
	l.programs = append(l.programs, l.sys.Go(node, program))
}

// run executes events until done reports true.
func (l *lab) run(done func() bool) error {
	k := l.sys.Kernel()
	for range patience {
		if done() {
			return l.failed()
		}
		if !k.Step() {
			if err := l.failed(); err != nil {
				return err
			}
			return errStuck
		}
	}
	return errLong
}

func (l *lab) failed() error {
	for _, p := range l.programs {
		if _, err := p.Ended(); err != nil {
			return err
		}
	}
	return nil
}

// all reports whether all programs have ended.
func (l *lab) all() bool {
	for _, p := range l.programs {
		if done, _ := p.Ended(); !done {
			return false
		}
	}
	return true
}

// warmUps fill the TLBs.
const warmUps = 4

// rounds is how often the timed operation is repeated: this averages over many different phases between the
// clocks of links and cores.
const rounds = 16

// timing records when the warm-up ended, and when everything ended.
type timing struct{ from, to vtime.Time }

func (t timing) each() float64 { return (t.to - t.from).Microseconds() / rounds }

// note is called before each round, and once after the last.
func (t *timing) note(round int, now vtime.Time) {
	switch round {
	case warmUps:
		t.from = now
	case warmUps + rounds:
		t.to = now
	}
}

// pingPong has node 0 send and node 1 answer; it returns the microseconds of a round trip. send posts
// message number round from a node to the other, and wait waits until ok reports true by polling.
func (l *lab) pingPong(send func(p *timed.Process, from, round int) error, wait func(p *timed.Process, ok func() bool)) (float64, error) {
	var t timing
	for from := range 2 {
		l.start(from, func(p *timed.Process) error {
			for i := range warmUps + rounds {
				if from == 0 {
					t.note(i, p.Now())
					if err := send(p, from, i); err != nil {
						return err
					}
				}
				wait(p, func() bool { return l.got[from].count > i })
				if from == 1 {
					if err := send(p, from, i); err != nil {
						return err
					}
				}
			}
			if from == 0 {
				t.note(warmUps+rounds, p.Now())
			}
			return nil
		})
	}
	err := l.run(l.all)
	return t.each(), err
}
