package model

import (
	"fmt"

	"rhinet/bench"
	"rhinet/nicemu/martini"
	"rhinet/nicemu/martini/stepped"
)

// An Experiment is an experiment with a name.
type Experiment struct {
	Name   string
	About  string
	nodes  int
	series []series
}

// Names returns the names of the experiment's curves.
func (e Experiment) Names() (names []string) {
	for _, s := range e.series {
		names = append(names, s.Name)
	}
	return names
}

// A series is one curve. Sizes are checked as package pair checks them.
type series struct {
	bench.Test
	measure measurement
}

// A measurement takes one point of a curve.
type measurement func(bytes, reps int) (point, error)

// A point is one repetition; perStep is the rate at which its bytes arrived, 0 if it does not apply.
type point struct{ steps, perStep, micros float64 }

// most is the longest request that is measured, in bytes.
const most = 1 << 20

func curve(name string, sizes []int, least, longest, unit int, half bool, m measurement) series {
	return series{bench.Test{Name: name, Sizes: sizes, Min: least, Max: longest, Unit: unit, Half: half}, m}
}

// Experiments returns all experiments, in the order of the specification.
func Experiments() []Experiment {
	short, long := bench.Powers(8, 64<<10), bench.Powers(8, 256<<10)
	packet := bench.Powers(8, martini.MaxImage)
	one := func(name string, sizes []int, longest int, m measurement) series {
		return curve(name, sizes, 8, longest, 8, false, m)
	}
	flows := func(name string, m measurement) series { return curve(name, long, 1, most, 1, true, m) }
	three := func(name string, p pattern) series {
		return curve(name, []int{128, 512, 2 << 10, 8 << 10, 32 << 10, 128 << 10}, 1, most, 1, false, between(p))
	}
	rtt := func(name string, m measurement) series {
		return curve(name, bench.Powers(32, 2048), 8, 2048, 8, false, m)
	}
	record := func(name string, m measurement) series { return curve(name, packet, 1, stepped.MTU, 1, false, m) }
	return []Experiment{
		{"latency", "remote write and read, one way", 2, []series{
			one("push", short, most, latency(byPush)), one("botf", packet, martini.MaxImage, latency(byBotf)), one("aotf", []int{8}, 8, aotf),
			one("pull", short, most, pull(false)), one("pull-botf", short, most, pull(true)),
		}},
		{"throughput", "PUSH continuously: one way, more Windows, both ways, to a receiver that discards", 2, []series{
			flows("push-stream", stream(1, false)), flows("push-2windows", stream(2, false)), flows("push-4windows", stream(4, false)),
			flows("push-both", stream(1, true)), flows("sending", sending(1)), flows("sending-2windows", sending(2)), flows("sending-4windows", sending(4)),
		}},
		{"exceptions", "three nodes: what exceptions of one direction cost the other", 3, []series{
			three("pattern-1", pattern1), three("pattern-2", pattern2), three("pattern-3", pattern3),
			three("pattern-4", pattern4), three("pattern-5", pattern5), three("pattern-5-loop", pattern5Loop),
		}},
		{"miss", "round trip when every send misses in PATLB: hardware or firmware goes on", 2, []series{
			rtt("hard", missing(true, false)), rtt("soft", missing(true, true)), rtt("noex", missing(false, false)),
		}},
		{"vpush", "VPUSH continuously: taken over, by hardware, by firmware alone, against PUSH", 2, []series{
			record("vpush", vpushed(stepped.RingOptions{})), record("vpush-hardware", vpushed(stepped.RingOptions{Hardware: true})),
			record("vpush-software", vpushed(stepped.RingOptions{Software: true})), record("push", stream(1, false)),
		}},
	}
}

// Find returns the experiment of a name, or an error that lists the names.
func Find(name string) (Experiment, error) {
	e, known, ok := bench.Pick(Experiments(), func(e Experiment) string { return e.Name }, name)
	if !ok {
		return e, fmt.Errorf("%w: no experiment %q on the stepped model; there is %s", bench.ErrInput, name, known)
	}
	return e, nil
}
