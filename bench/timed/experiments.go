package timed

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"rhinet/bench"
	"rhinet/nicemu/martini/stepped"
	"rhinet/nicemu/martini/timed"
	"rhinet/nicemu/network"
	"rhinet/nicemu/param"
	"rhinet/nicemu/vtime"
)

// An Experiment is an experiment with a name.
type Experiment struct {
	Name   string
	IDs    string // in the specifications
	About  string
	series []series
}

// A series is one curve: how a point is measured, and at which sizes.
type series struct {
	name        string
	nodes       int
	sizes       []int
	least, most int
	half        bool // size at which half the peak is reached, too (E5)
	measure     func(l *lab, bytes int) (point, error)
}

// A point is a time, or a rate.
type point struct{ usec, rate float64 }

// stated are the results given in the specification (martini, section 12.2), in microseconds, by series and
// bytes.
func stated() map[string]map[int]float64 {
	return map[string]map[int]float64{"push": {8: 2.48}, "botf": {8: 2.14}, "aotf": {8: 1.74}}
}

// most is the longest request that is measured, in bytes.
const most = 1 << 20

// Experiments returns all experiments that have curves.
func Experiments() []Experiment {
	short, long := bench.Powers(8, 64<<10), bench.Powers(8, 256<<10)
	image := bench.Powers(8, stepped.MTU)
	one := func(name string, sizes []int, longest int, k timed.Kind) series {
		return series{name, 2, sizes, 8, longest, false, latency(k)}
	}
	stream := func(name string, o streaming) series { return series{name, 2, long, 8, most, true, o.measure} }
	three := func(name string, p pattern) series {
		return series{name, 3, []int{128, 512, 2 << 10, 8 << 10, 32 << 10, 128 << 10}, 8, most, false, p.measure}
	}
	miss := func(name string, misses, software bool) series {
		return series{name, 2, bench.Powers(32, 2048), 8, 2048, false, missing(misses, software)}
	}
	ring := func(name string, o stepped.RingOptions) series {
		return series{name, 2, image, 8, stepped.MTU, false, vpushed(o)}
	}
	return []Experiment{
		{"latency", "E1, E2, P1, P2", "remote write and read: one way, and until the data is there", []series{
			one("push", short, most, timed.Push), one("botf", image, stepped.MTU, timed.Botf), one("aotf", []int{8}, 8, timed.Aotf),
			one("pull", short, most, timed.Pull), one("pull-botf", short, most, timed.BotfPull),
			{"push-by-system", 2, short, 8, most, false, bySystem},
		}},
		{"throughput", "E3, E4, E5, P3, P4", "PUSH continuously: one way, both ways, more Windows, to a receiver that discards", []series{
			stream("one-way", streaming{windows: 1}), stream("two-way", streaming{windows: 1, both: true}), stream("sending", streaming{windows: 1, discard: true}),
			stream("one-way-2windows", streaming{windows: 2}), stream("one-way-4windows", streaming{windows: 4}),
		}},
		{"exceptions", "E6, P5", "three nodes at a switch: what exceptions of one direction cost the other", []series{
			three("pattern-1", pattern1), three("pattern-2", pattern2), three("pattern-3", pattern3),
			three("pattern-4", pattern4), three("pattern-5", pattern5), three("pattern-5-loop", pattern5Loop),
		}},
		{"miss", "E7, P6", "round trip when every send misses in PATLB: hardware or firmware goes on", []series{
			miss("hard", true, false), miss("soft", true, true), miss("noex", false, false),
		}},
		{"vpush", "E8, P7", "VPUSH continuously: taken over, by firmware alone, by hardware, against PUSH", []series{
			ring("vpush", stepped.RingOptions{}), ring("vpush-software", stepped.RingOptions{Software: true}),
			ring("vpush-hardware", stepped.RingOptions{Hardware: true}),
			{"push", 2, image, 8, stepped.MTU, false, streaming{windows: 1, switched: true}.measure},
		}},
		{"pm-pingpong", "P9", "PM: round trip of a message, by layer and number of nodes", pmSeries(pmPingPong)},
		{"pm-burst", "P10", "PM: messages one way, by layer and number of nodes", pmSeries(pmBurst)},
		{"mpi", "P12", "MPI: PingPong and Sendrecv over PM", mpiSeries()},
	}
}

// Find returns the experiment of a name, or an error that lists the names.
func Find(name string) (Experiment, error) {
	var names []string
	for _, e := range Experiments() {
		if e.Name == name {
			return e, nil
		}
		names = append(names, e.Name)
	}
	return Experiment{}, fmt.Errorf("%w: no experiment %q on the timed model; there is %s", bench.ErrInput, name, strings.Join(names, ", "))
}

// Load returns the table of a system with settings.
func Load(design string, settings []string) (*param.Table, error) {
	t, err := timed.Parameters(design)
	if err != nil {
		return nil, input(err)
	}
	if err := t.SetAll(settings); err != nil {
		return nil, input(fmt.Errorf("%w; bench model parameters lists them", err))
	}
	return t, nil
}

// input marks an error of the user's input.
func input(err error) error {
	return bench.Input(err, network.ErrParameters, network.ErrTopology, param.ErrSetting)
}

// Options of a run.
type Options struct {
	Table *param.Table
	Sizes []int        // bytes; nil: the experiment's own
	Trace vtime.Tracer // of a time line; nil: none
}

// Check returns what is wrong with running e with these options.
func (e Experiment) Check(o Options) error {
	for _, n := range o.Sizes {
		if !slices.ContainsFunc(e.series, func(s series) bool { return s.fits(n) }) {
			return fmt.Errorf("%w: size %d; %s takes %d to %d bytes", bench.ErrInput, n, e.Name, e.series[0].least, e.longest())
		}
	}
	return nil
}

func (s series) fits(n int) bool { return n >= s.least && n <= s.most }

func (e Experiment) longest() (n int) {
	for _, s := range e.series {
		n = max(n, s.most)
	}
	return n
}

// Run measures the points of all curves of e and reports them as they come.
func (e Experiment) Run(o Options, report func(Row)) error {
	for _, s := range e.series {
		sizes := s.sizes
		if o.Sizes != nil {
			sizes = o.Sizes
		}
		var curve []Row
		for _, n := range sizes {
			if !s.fits(n) {
				continue // another series takes it
			}
			l := &lab{table: o.Table}
			p, err := s.measure(l, n)
			l.close()
			if err != nil {
				if errors.Is(err, network.ErrParameters) {
					return input(err)
				}
				return fmt.Errorf("%s, %d bytes: %w", s.name, n, err)
			}
			r := Row{e.Name, s.name, s.nodes, n, p.usec, p.rate, stated()[s.name][n], 0}
			if e.Name != "latency" {
				r.Stated = 0
			}
			if r.Stated > 0 {
				r.Deviation = 100 * (r.Usec/r.Stated - 1)
			}
			report(r)
			curve = append(curve, r)
		}
		if s.half {
			if r, ok := half(curve); ok {
				report(r)
			}
		}
	}
	return nil
}

// half is E5: the size at which throughput reaches half its peak, between two measured sizes.
func half(curve []Row) (Row, bool) {
	peak := 0.0
	for _, r := range curve {
		peak = max(peak, r.Rate)
	}
	for i, r := range curve {
		if r.Rate < peak/2 || i == 0 {
			continue
		}
		before := curve[i-1]
		part := (peak/2 - before.Rate) / (r.Rate - before.Rate)
		return Row{Experiment: r.Experiment, Series: r.Series + "-half", Nodes: r.Nodes,
			Bytes: before.Bytes + int(part*float64(r.Bytes-before.Bytes)+0.5), Rate: peak / 2}, true
	}
	return Row{}, false
}
