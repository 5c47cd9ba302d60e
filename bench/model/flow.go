package model

import (
	"errors"
	"time"

	"rhinet/nicemu/martini/stepped"
)

// A flow is one process that sends continuously: it kicks one request after another on its Windows in
// rotation, each as soon as the Window's contflag says that it may be written again (martini, section 3.3).
type flow struct {
	node    int
	windows int
	kick    func(window, number int) (serial uint64, err error)

	sent        int
	serial      []uint64 // of the latest request of each Window
	start, stop uint64   // clock when the interval began and ended
}

// advance kicks the next request if its Window is free.
func (f *flow) advance(w *world) error {
	if f.serial == nil {
		f.windows = max(f.windows, 1)
		f.serial = make([]uint64, f.windows)
	}
	at := f.sent % f.windows
	if w.nics[f.node].Window(at).Contflag() < f.serial[at] {
		return nil
	}
	serial, err := f.kick(at, f.sent)
	if errors.Is(err, stepped.ErrBusy) {
		return nil
	}
	f.serial[at] = serial
	f.sent++
	return err
}

// fill is the number of packets after which all FIFOs on the way have certainly reached their final fill
// level: a source that the receiver slows down runs ahead by less than a fifth of a packet for each packet
// that leaves.
const fill = 120

// done returns how many requests have been completed.
func (f *flow) done(w *world) (n int) {
	for i := range f.windows {
		n += int(w.nics[f.node].Window(i).Contflag())
	}
	return n
}

// run lets all flows run until each of the first counting ones has completed reps requests of the given
// size, in an interval within the run (martini, section 13, E3). It returns the bytes that these flows
// moved per step together, and the host's microseconds per request.
func (w *world) run(flows []*flow, counting, bytes, reps int, every func()) (perStep, micros float64, err error) {
	warm := warmUps + fill*stepped.MTU/max(bytes, stepped.MTU)
	var begin time.Time
	for left := counting; left > 0; {
		for _, f := range flows {
			if err := f.advance(w); err != nil {
				return 0, 0, err
			}
		}
		if err := w.step(); err != nil {
			return 0, 0, err
		}
		if every != nil {
			every()
		}
		for _, f := range flows[:counting] {
			switch n := f.done(w); {
			case f.start == 0 && n >= warm:
				f.start, w.idle = w.m.Clock(), 0
				if begin.IsZero() {
					begin = time.Now()
				}
			case f.start != 0 && f.stop == 0 && n >= warm+reps:
				f.stop, w.idle = w.m.Clock(), 0
				left--
			}
		}
	}
	for _, f := range flows[:counting] {
		perStep += float64(bytes*reps) / float64(f.stop-f.start)
	}
	return perStep, float64(time.Since(begin).Nanoseconds()) / 1e3 / float64(counting*reps), nil
}
