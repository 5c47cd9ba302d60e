package events

import (
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"time"

	"rhinet/bench"
	"rhinet/bench/host"
	"rhinet/nicemu/medium"
	"rhinet/nicemu/models"
	"rhinet/nicemu/vtime"
)

// Kernel is the load of the kernel alone: each event schedules the next one at a random distance, with
// 1,000 pending, which is the usual benchmark of event queues.
const Kernel = "kernel"

// ranks is how many ranks send to each other on a model, the number of nodes in the study of MPI programs.
const ranks = 16

// A Load is work for the kernel of events.
type Load struct {
	Name string // Kernel, or a model as mpirun --time takes it
	// Messages is how many messages the model transfers, or events the kernel alone executes.
	Messages int
	model    models.Choice
}

// Names returns the default loads.
func Names() []string { return append([]string{Kernel}, models.Names()...) }

// Loads returns the loads of the given names, with the given number of messages.
func Loads(names []string, messages int) (all []Load, err error) {
	if messages < 1 {
		return nil, fmt.Errorf("%w: %d messages; give at least 1", bench.ErrInput, messages)
	}
	for _, name := range names {
		l := Load{Name: name, Messages: messages}
		if name != Kernel {
			if l.model, err = models.Parse(name); err != nil {
				return nil, fmt.Errorf("%w: %s: %w; and there is %s", bench.ErrInput, name, err, Kernel)
			}
			if err := l.model.Check(ranks); err != nil {
				return nil, fmt.Errorf("%w: %w", bench.ErrInput, err)
			}
		}
		all = append(all, l)
	}
	return all, nil
}

// Measure does the work several times, and returns the fastest run.
func (l Load) Measure(tries int) (best Row, err error) {
	for i := range tries {
		r, err := l.once()
		if err != nil {
			return r, err
		}
		if i == 0 || r.Seconds < best.Seconds {
			best = r
		}
	}
	return best, nil
}

func (l Load) once() (r Row, err error) {
	r = Row{Load: l.Name, Messages: l.Messages}
	before := host.Load()
	if l.Name == Kernel {
		l.hold(&r)
	} else if err := l.send(&r); err != nil {
		return r, err
	}
	r.Machine = strings.ReplaceAll(before, " ", "/")
	return r, nil
}

// spread is the largest distance of an event in the kernel's own load.
const spread = vtime.Microsecond

// hold runs the kernel alone.
func (l Load) hold(r *Row) {
	h := &holder{rng: rand.New(rand.NewPCG(1, 2))}
	h.src = h.k.Source("hold")
	for range 1000 {
		h.Act(0, 0)
	}
	begin := time.Now()
	for range l.Messages {
		h.k.Step()
	}
	r.took(time.Since(begin), h.k.Done(), uint64(l.Messages))
}

// A holder keeps a number of events pending.
type holder struct {
	k   vtime.Kernel
	src vtime.Source
	rng *rand.Rand
}

// Act schedules the next event.
func (h *holder) Act(int, uint64) { h.src.After(vtime.Time(h.rng.Int64N(int64(spread))), h, 0, 0) }

// send sends messages across a model.
func (l Load) send(r *Row) (err error) {
	k := new(vtime.Kernel)
	m, err := l.model.New(k, ranks)
	if err != nil {
		return err
	}
	if c, ok := m.(io.Closer); ok {
		defer func() { err = errors.Join(err, c.Close()) }()
	}
	t := newTraffic(k, m, l.Messages)
	begin := time.Now()
	t.start()
	if err := k.Run(t.most()); err != nil {
		return err
	}
	took := time.Since(begin)
	if t.taken != l.Messages {
		return fmt.Errorf("events: %d of %d messages were delivered by %s", t.taken, l.Messages, l.Name)
	}
	packets := uint64(l.Messages)
	if c, ok := m.(medium.Counter); ok {
		packets, _ = c.Carried()
	}
	r.took(took, k.Done(), packets)
	return nil
}
