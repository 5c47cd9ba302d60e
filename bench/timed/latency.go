package timed

import (
	"rhinet/nicemu/fabric"
	"rhinet/nicemu/martini/stepped"
	"rhinet/nicemu/martini/timed"
	"rhinet/nicemu/network"
)

// latency is E1, half of a round trip, or E2, from the request until the data is
// seen.
func latency(kind timed.Kind) func(l *lab, bytes int) (point, error) {
	return func(l *lab, bytes int) (point, error) {
		if err := l.build("pair", timed.Options{Area: bytes, Source: bytes}); err != nil {
			return point{}, err
		}
		if kind == timed.Pull || kind == timed.BotfPull {
			return l.reads(kind, bytes)
		}
		usec, err := l.pingPong(l.sends(kind, bytes, func(int) int { return 0 }), (*timed.Process).Until)
		return of(usec/2, bytes), err
	}
}

// bySystem is E1 by PUSH where a process asks the operating system to send, and an interrupt wakes it: this
// shows what communication at user level saves (martini, section 1.8). The source did not measure this.
func bySystem(l *lab, bytes int) (point, error) {
	if err := l.build("pair", timed.Options{Area: bytes, Source: bytes}); err != nil {
		return point{}, err
	}
	send := l.sends(timed.Push, bytes, func(int) int { return 0 })
	usec, err := l.pingPong(func(p *timed.Process, from, round int) error {
		p.Syscall()
		return send(p, from, round)
	}, func(p *timed.Process, ok func() bool) {
		p.Until(ok)
		p.Interrupt()
	})
	return of(usec/2, bytes), err
}

func of(usec float64, bytes int) point { return point{usec, float64(bytes) / usec} }

// sends posts one transfer for each node repeatedly, from a position that at returns for the round.
func (l *lab) sends(kind timed.Kind, bytes int, at func(round int) int) func(p *timed.Process, from, round int) error {
	var x [2]timed.Transfer
	for i := range x {
		x[i] = timed.Transfer{Kind: kind, To: 1 - i, Bytes: bytes, Watcher: &l.got[1-i]}
	}
	return func(p *timed.Process, from, round int) error {
		t := &x[from]
		if round > 0 && kind != timed.Aotf {
			p.Await(t, timed.Free)
		}
		t.From = at(round)
		return p.Post(t)
	}
}

func (l *lab) reads(kind timed.Kind, bytes int) (point, error) {
	var t timing
	l.start(0, func(p *timed.Process) error {
		x := &timed.Transfer{Kind: kind, To: 1, Bytes: bytes}
		for i := range warmUps + rounds {
			t.note(i, p.Now())
			if err := p.Post(x); err != nil {
				return err
			}
			p.Await(x, timed.Delivered)
		}
		t.note(warmUps+rounds, p.Now())
		p.Await(x, timed.Free)
		return nil
	})
	err := l.run(l.all)
	return of(t.each(), bytes), err
}

// missing is E7: each send of both nodes misses in PATLB, since its source lies on
// another page of the same set each time.
func missing(misses, software bool) func(l *lab, bytes int) (point, error) {
	return func(l *lab, bytes int) (point, error) {
		g := stepped.Host32
		stride := g.Sets * fabric.PageBytes
		if err := l.build("one:2", timed.Options{Source: g.Ways*stride + fabric.PageBytes, TLB: g}); err != nil {
			return point{}, err
		}
		for i := range 2 {
			l.sys.Machine().Software(i, software)
		}
		usec, err := l.pingPong(l.sends(timed.Push, bytes, func(round int) int {
			if misses {
				return round % (g.Ways + 1) * stride
			}
			return 0
		}), (*timed.Process).Until)
		return of(usec, bytes), err
	}
}

// Stages returns when a write and a read of eight bytes reach each stage (martini, section 12.2;
// pm-messaging, section 2.3), in the model and, for writes, according to the specification.
func Stages(o Options) (all []StageRow, err error) {
	for _, c := range []struct {
		name   string
		kind   timed.Kind
		stated []float64
	}{
		{"push", timed.Push, []float64{0.72, 1.48, 1.49, 1.73, 2.06, 2.48}},
		{"botf", timed.Botf, []float64{0.79, 1.14, 1.15, 1.39, 1.72, 2.14}},
		{"aotf", timed.Aotf, []float64{0.39, 0.74, 0.75, 0.99, 1.32, 1.74}},
		{"pull", timed.Pull, nil},
		{"pull-botf", timed.BotfPull, nil},
	} {
		points, err := stagesOf(o, c.kind)
		if err != nil {
			return nil, err
		}
		for i, p := range points {
			r := StageRow{Series: c.name, Stage: p.Name, Usec: p.Time.Microseconds()}
			if c.stated != nil {
				r.Stated = c.stated[i]
				r.Deviation = 100 * (r.Usec/r.Stated - 1)
			}
			all = append(all, r)
		}
	}
	return all, nil
}

func stagesOf(o Options, kind timed.Kind) ([]timed.Reached, error) {
	w := timed.NewTrace(kind)
	t, err := network.Generate("pair", 0)
	if err != nil {
		return nil, err
	}
	sys, err := timed.New(t, o.Table, timed.Options{Observe: w.Observe})
	if err != nil {
		return nil, input(err)
	}
	defer sys.Close()
	x := &timed.Transfer{Kind: kind, To: 1, Bytes: 8}
	for range 2 { // the first fills the TLBs
		w.Begin(sys)
		if err := sys.Node(0).Post(x); err != nil {
			return nil, err
		}
		if err := sys.Kernel().Run(patience); err != nil {
			return nil, err
		}
	}
	return w.Points(x), nil
}
