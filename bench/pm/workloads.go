package pm

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"rhinet/bench"
	"rhinet/bench/pair"
	"rhinet/nicemu/fabric"
	"rhinet/nicemu/martini"
	"rhinet/nicemu/martini/pm"
)

// A Layer is one way to pass messages.
type Layer struct {
	Name     string
	most     int // bytes of a message
	geometry func(fabric.Geometry, int) fabric.Geometry
	open     func(*martini.NIC) (link, error)
}

// A link is a message layer at one node, as the test loops use it.
type link interface {
	// send sends n bytes to a node and reports whether there was room.
	send(to, n int) (bool, error)
	// receive takes one message and reports whether there was one.
	receive() (bool, error)
	close() error
}

// Layers returns all layers.
func Layers() []Layer {
	same := func(g fabric.Geometry, _ int) fabric.Geometry { return g }
	return []Layer{
		{"rhinet", 8184, pm.Geometry, openRHiNET(pm.Off)},
		{"vp", 2040, same, openVP},
		{"ring", 8184, oneEach, openRing},
		{"throttled", 8184, pm.Geometry, openRHiNET(pm.Global)},
	}
}

// FindLayers returns the layers named in a list separated by commas, or all of them for "all".
func FindLayers(names string) (layers []Layer, err error) {
	if names == "all" {
		return Layers(), nil
	}
	for name := range strings.SplitSeq(names, ",") {
		l, err := FindLayer(strings.TrimSpace(name))
		if err != nil {
			return nil, err
		}
		layers = append(layers, l)
	}
	return layers, nil
}

// FindLayer returns the layer with this name, or an error that lists the names.
func FindLayer(name string) (Layer, error) {
	l, known, ok := bench.Pick(Layers(), func(l Layer) string { return l.Name }, name)
	if !ok {
		return l, fmt.Errorf("%w: no message layer %q; there is %s", bench.ErrInput, name, known)
	}
	return l, nil
}

// Nodes returns the default numbers of nodes.
func Nodes() []int { return []int{2, 4, 8, 16, 32, 64} }

// MaxNodes is the maximum number of nodes of a job.
const MaxNodes = fabric.MaxRanks

// Geometry returns the sizes of the memory of a job of the given number of nodes.
func (l Layer) Geometry(nodes int) fabric.Geometry { return l.geometry(fabric.Default(), nodes) }

// Open opens a side.
func (l Layer) Open(e *pair.End) (pair.Side, error) {
	nic, err := martini.Open(e.F, e.Rank, martini.Options{})
	if err != nil {
		return nil, err
	}
	k, err := l.open(nic)
	if err != nil {
		return nil, err
	}
	return &side{End: e, nic: nic, link: k}, nil
}

// The tests of a side, by number.
const (
	PingPong = iota // P9: the round trip, not halved
	Burst           // P10: one node sends continuously, the other only receives
)

// Workload returns the tests of the layer, as a workload of processes.
func (l Layer) Workload() pair.Workload {
	test := func(name string, moves float64, half bool, sizes ...int) bench.Test {
		sizes = slices.DeleteFunc(sizes, func(n int) bool { return n > l.most })
		return bench.Test{Name: l.Name + name, Sizes: sizes, Min: 1, Max: l.most, Unit: 1, Scale: 1, Moves: moves, Half: half}
	}
	return pair.Workload{Name: l.Name, Processes: 2, Open: l.Open, Tests: []bench.Test{
		test("-pingpong", 2, false, 8, 128, 1024, 2040, 8184),
		test("-burst", 1, true, 8, 32, 128, 512, 1024, 2040, 4096, 8184),
	}}
}

// Measure measures one of the tests, given by its number, on layers in jobs of each of the numbers of
// nodes; all nodes but two are idle.
func Measure(test int, layers []Layer, nodes []int, p bench.Policy, sizes []int, errs io.Writer, report func(bench.Row)) error {
	for _, l := range layers {
		w := l.Workload()
		for _, n := range nodes {
			if err := w.Measure("pm", w.Tests[test:test+1], test, n, l.Geometry(n), p, sizes, errs, report); err != nil {
				return err
			}
		}
	}
	return nil
}
