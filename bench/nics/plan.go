package nics

import (
	"fmt"
	"slices"
	"strings"

	"rhinet/bench"
	"rhinet/bench/pmb"
	"rhinet/npb"
	"rhinet/npb/nas"
)

// A Plan says what to run.
type Plan struct {
	Variants    []string
	NICs        []string
	Tests       []string // of the suite of benchmarks; one of Tests
	Sizes       []int    // of their messages
	Nodes       []int    // numbers of nodes for the tests
	Kernels     []string // of the NAS Parallel Benchmarks
	Classes     []string
	KernelNodes []int
}

// Tests returns the tests of the suite that a study can have.
func Tests() []string { return []string{"PingPong", "Barrier", "Bcast", "Allreduce", "Alltoall"} }

// Usual returns the default plan.
func Usual() Plan {
	p := Plan{
		Tests: Tests(), Sizes: []int{8, 1024, 16384}, Nodes: []int{2, 4, 8, 16, 32, 64},
		Classes: []string{"S", "W"}, KernelNodes: []int{4, 16},
	}
	for _, v := range Variants() {
		p.Variants = append(p.Variants, v.Name)
	}
	for _, n := range NICs() {
		p.NICs = append(p.NICs, n.Name)
	}
	for _, k := range npb.Kernels() {
		p.Kernels = append(p.Kernels, k.Name)
	}
	return p
}

// Limits of a plan: rings of NICs know all nodes.
const (
	mostNodes = 64
	mostBytes = 1 << 20
)

// Check returns what cannot be run, an ErrInput.
func (p *Plan) Check() error {
	for _, x := range []struct {
		kind        string
		names, have []string
	}{
		{"variant", p.Variants, Usual().Variants}, {"NIC", p.NICs, Usual().NICs}, {"test", p.Tests, Tests()}, {"kernel", p.Kernels, Usual().Kernels},
	} {
		for _, name := range x.names {
			if !slices.Contains(x.have, name) {
				return fmt.Errorf("%w: no %s %q; there is %s", bench.ErrInput, x.kind, name, strings.Join(x.have, ", "))
			}
		}
	}
	for _, c := range p.Classes {
		if _, err := nas.ParseClass(c); err != nil {
			return fmt.Errorf("%w: %w", bench.ErrInput, err)
		}
	}
	for _, n := range append(slices.Clone(p.Nodes), p.KernelNodes...) {
		if n < 2 || n > mostNodes {
			return fmt.Errorf("%w: %d nodes; give 2 to %d", bench.ErrInput, n, mostNodes)
		}
	}
	for _, n := range p.Sizes {
		if n < 8 || n > mostBytes || n%8 != 0 {
			return fmt.Errorf("%w: size %d; give multiples of 8 from 8 to %d bytes", bench.ErrInput, n, mostBytes)
		}
	}
	if len(p.Cells()) == 0 {
		return fmt.Errorf("%w: nothing to run; name variants, NICs, and tests with nodes or kernels with classes and nodes that they run on", bench.ErrInput)
	}
	return nil
}

// A Cell is one program on a number of nodes.
type Cell struct {
	Variant string `json:"variant"`
	NIC     string `json:"nic"`
	Program string `json:"program"` // a test, or a kernel
	Class   string `json:"class,omitempty"`
	Nodes   int    `json:"nodes"`
	Bytes   int    `json:"bytes,omitempty"`
}

// alone stands for all NICs when there is one node, which sends nothing.
const alone = "one-node"

// String returns the name of the file of a cell.
func (c Cell) String() string {
	name := fmt.Sprintf("%s.%s.%s.%d.%d", c.Variant, strings.ReplaceAll(c.NIC, ":", "-"), c.Program, c.Nodes, c.Bytes)
	if c.Class != "" {
		name += "." + c.Class
	}
	return name
}

// Cells lists the cells: tests before kernels, and small numbers of nodes first, so that fast ones are done
// early.
func (p *Plan) Cells() (all []Cell) {
	for _, test := range p.Tests {
		for _, nodes := range p.testNodes(test) {
			for _, bytes := range p.testSizes(test) {
				p.each(test, func(variant, nic string) {
					all = append(all, Cell{Variant: variant, NIC: nic, Program: test, Nodes: nodes, Bytes: bytes})
				})
			}
		}
	}
	for _, class := range p.Classes {
		for _, kernel := range p.Kernels {
			all = append(all, p.kernel(kernel, class)...)
		}
	}
	return all
}

// each calls do for each variant of each NIC that runs a program.
func (p *Plan) each(program string, do func(variant, nic string)) {
	for _, variant := range p.Variants {
		for _, name := range p.NICs {
			if nic, ok := find(name); !ok || nic.serves(program) {
				do(variant, name)
			}
		}
	}
}

// testNodes returns the numbers of nodes of a test: 2 for a test between two ranks.
func (p *Plan) testNodes(test string) []int {
	if b, err := pmb.Find(test); err == nil && b.Kind == pmb.Single {
		return []int{2}
	}
	return p.Nodes
}

func (p *Plan) testSizes(test string) []int {
	if b, err := pmb.Find(test); err == nil && b.Sizeless() {
		return []int{0}
	}
	return p.Sizes
}

// kernel lists the cells of a kernel: on one node, and on those numbers of nodes on which it can run.
func (p *Plan) kernel(name, class string) (all []Cell) {
	k, _ := npb.Find(name)
	c, err := nas.ParseClass(class)
	if err != nil {
		return nil
	}
	for _, nodes := range p.KernelNodes {
		if k.Allowed(nodes, c) != nil {
			continue
		}
		p.each(name, func(variant, nic string) {
			all = append(all, Cell{Variant: variant, NIC: nic, Program: name, Class: class, Nodes: nodes})
		})
	}
	if all == nil {
		return nil
	}
	var one []Cell
	for _, variant := range p.Variants {
		one = append(one, Cell{Variant: variant, NIC: alone, Program: name, Class: class, Nodes: 1})
	}
	return append(one, all...)
}
