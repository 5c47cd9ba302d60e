package pm

import (
	"fmt"

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

// A link is a layer at one node: what its message loops need of it.
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

// FindLayer returns the layer of a name, or an error that lists the names.
func FindLayer(name string) (Layer, error) {
	l, known, ok := bench.Pick(Layers(), func(l Layer) string { return l.Name }, name)
	if !ok {
		return l, fmt.Errorf("%w: no message layer %q; there is %s", pair.ErrInput, name, known)
	}
	return l, nil
}

// Nodes are the numbers of nodes that are measured unless others are named.
func Nodes() []int { return []int{2, 4, 8, 16, 32, 64} }

// MaxNodes bounds a job.
const MaxNodes = fabric.MaxRanks

// Geometry returns the memory of a job of so many nodes.
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

// Series of a side, by number.
const (
	seriesPingPong = iota
	seriesBurst
)

// PingPong is P9: the round trip, not halved.
func (l Layer) PingPong() pair.Series {
	return pair.Series{Name: l.Name + "-pingpong", Sizes: l.sizes(8, 128, 1024, 2040, 8184), Min: 1, Max: l.most, Unit: 1, Scale: 1, Moves: 2}
}

// Burst is P10: one node sends continuously, the other only receives.
func (l Layer) Burst() pair.Series {
	return pair.Series{Name: l.Name + "-burst", Sizes: l.sizes(8, 32, 128, 512, 1024, 2040, 4096, 8184), Min: 1, Max: l.most, Unit: 1, Scale: 1, Moves: 1, Half: true}
}

func (l Layer) sizes(all ...int) (fit []int) {
	for _, n := range all {
		if n <= l.most {
			fit = append(fit, n)
		}
	}
	return fit
}
