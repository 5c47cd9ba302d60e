package cenju4

import (
	"fmt"
	"slices"
	"strings"

	"rhinet/bench"
	"rhinet/nicemu/cenju4/timed"
	"rhinet/nicemu/param"
	"rhinet/nicemu/vtime"
)

// A Plan says what to measure.
type Plan struct {
	Experiment string
	Nodes      []int // nil: the experiment's
	Sizes      []int // bytes; nil: the experiment's
	Table      *param.Table
}

// An experiment is an experiment of the specification.
type experiment struct {
	name, about string
	nodes       []int
	sizes       []int // nil: it has none
	most        int   // bytes
	run         func(p *Plan, report func(Row)) error
}

func experiments() []experiment {
	powers := func(from, to int) (all []int) {
		for n := from; n <= to; n *= 2 {
			all = append(all, n)
		}
		return all
	}
	const large = 16 << 20
	return []experiment{
		{"latency", "one-to-one latency", []int{32}, powers(8, 4096), large, (*Plan).latency},
		{"throughput", "one-to-one throughput", []int{32}, powers(8, 512<<10), large, (*Plan).throughput},
		{"odd", "transfers whose source and destination differ by an odd number of words", []int{32}, []int{256, 1 << 10, 4 << 10, 16 << 10, 64 << 10, 256 << 10}, large, (*Plan).odd},
		{"nton", "N-to-N throughput of each node", []int{32}, powers(8, 16<<10), 512 << 10, (*Plan).all},
		{"barrier", "barrier time", powers(1, 32), nil, 0, (*Plan).barriers},
	}
}

// Experiments returns the names and descriptions of the experiments.
func Experiments() (names, abouts []string) {
	for _, e := range experiments() {
		names, abouts = append(names, e.name), append(abouts, e.about)
	}
	return names, abouts
}

// find returns the experiment of the plan.
func (p *Plan) find() (experiment, error) {
	all := experiments()
	i := slices.IndexFunc(all, func(e experiment) bool { return e.name == p.Experiment })
	if i < 0 {
		names, _ := Experiments()
		return experiment{}, fmt.Errorf("%w: no experiment %q; the experiments are %s", bench.ErrInput, p.Experiment, strings.Join(names, ", "))
	}
	return all[i], nil
}

// Limits of a plan.
const (
	mostNodes   = 1024
	mostPackets = 32 << 20
)

// Check returns what is wrong with the plan, an ErrInput, and fills in defaults.
func (p *Plan) Check() error {
	e, err := p.find()
	if err != nil {
		return err
	}
	if p.Nodes == nil {
		p.Nodes = e.nodes
	}
	least := 1
	if e.name != "barrier" && e.name != "nton" {
		least = 2
	}
	for _, n := range p.Nodes {
		if n < least || n > mostNodes {
			return fmt.Errorf("%w: %d nodes; %s takes %d to %d", bench.ErrInput, n, e.name, least, mostNodes)
		}
	}
	switch {
	case p.Sizes == nil:
		p.Sizes = e.sizes
	case e.sizes == nil:
		return fmt.Errorf("%w: %s has no sizes; leave --sizes out", bench.ErrInput, e.name)
	}
	for _, s := range p.Sizes {
		if s < 8 || s > e.most || s%8 != 0 {
			return fmt.Errorf("%w: size %d; %s takes multiples of 8 from 8 to %d bytes", bench.ErrInput, s, e.name, e.most)
		}
	}
	return p.bounded(e)
}

// bounded keeps a run from taking hours.
func (p *Plan) bounded(e experiment) error {
	if e.name != "nton" {
		return nil
	}
	n, s := slices.Max(p.Nodes), slices.Max(p.Sizes)
	if packets := n * n * (s/256 + 1); packets > mostPackets {
		return fmt.Errorf("%w: %d nodes that send %d bytes to all are %d packets; choose fewer nodes or bytes, for at most %d", bench.ErrInput, n, s, packets, mostPackets)
	}
	return nil
}

// Run executes the plan, which must have passed Check, and reports rows as they come.
func (p *Plan) Run(report func(Row)) error {
	e, err := p.find()
	if err != nil {
		return err
	}
	return e.run(p, report)
}

// costs are the costs of software.
type costs struct {
	send, receive, again, mpi, system vtime.Time
	copy                              float64 // picoseconds a byte
}

func (p *Plan) costs() costs {
	ns := func(name string) vtime.Time { return vtime.Nanoseconds(p.Table.Value(name)) }
	return costs{ns("paralib.send"), ns("paralib.receive"), ns("paralib.again"), ns("mpi.call"), ns("system.call"), 1e6 / p.Table.Value("host.copy")}
}

// machine returns a machine with the given number of nodes.
func (p *Plan) machine(nodes int) (*timed.Machine, error) {
	m, err := timed.New(nodes, p.Table)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", bench.ErrInput, err)
	}
	return m, nil
}
