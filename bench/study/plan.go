package study

import (
	"fmt"
	"slices"
	"strings"

	"rhinet/bench"
	"rhinet/npb/nas"
)

// A Series is a message layer, or a cheap model of a whole network.
type Series struct {
	Name  string
	Model string // as mpirun --time takes it
	About string
}

// AllSeries returns the layers of the study.
func AllSeries() []Series {
	return []Series{
		{"pm", "martini:pm", "PM/RHiNET with the ack throttle"},
		{"pm-unthrottled", "martini:pm:pm.throttle=off", "PM/RHiNET without it"},
		{"vp", "martini:vp", "PM/RHiNET-VP, which has no acks to wait for"},
		{"vpush", "martini:vpush", "VPUSH in hardware, without acks"},
	}
}

// Cheap returns models that describe a network in less detail but support up to 1,024 ranks on one machine;
// they are run only if they are named.
func Cheap() []Series {
	return []Series{
		{"loggp", "loggp", "four numbers for the whole network (LogGP)"},
		{"fattree", "fattree", "links of a fat tree, with contention"},
	}
}

// Kernels returns the kernels in the order of the figures (pm-messaging, section 2.4).
func Kernels() []string { return []string{"bt", "cg", "ep", "ft", "is", "lu", "mg", "sp"} }

// squares returns the kernels that need a square number of processes.
func squares() []string { return []string{"bt", "sp"} }

// A Plan says what to run.
type Plan struct {
	Series   []Series
	Kernels  []string
	Classes  []string
	Nodes    []int    // for kernels that need powers of two
	Squares  []int    // for those that need squares
	Settings []string // parameters of the model, NAME=VALUE
	Compute  string   // as mpirun --compute takes it
}

// A Cell is one job.
type Cell struct {
	Series string `json:"series"`
	Kernel string `json:"kernel"`
	Class  string `json:"class"`
	Nodes  int    `json:"nodes"`
}

// alone is the series of one node, which sends nothing.
const alone = "one-node"

func (c Cell) String() string {
	return fmt.Sprintf("%s.%s.%d.%s", c.Kernel, c.Class, c.Nodes, c.Series)
}

// Cells lists the jobs: small classes and small numbers of nodes first, so that fast ones are done early.
func (p *Plan) Cells() (all []Cell) {
	for _, class := range p.Classes {
		for _, kernel := range p.Kernels {
			for _, n := range p.nodes(kernel) {
				if n == 1 {
					all = append(all, Cell{alone, kernel, class, 1})
					continue
				}
				for _, s := range p.Series {
					all = append(all, Cell{s.Name, kernel, class, n})
				}
			}
		}
	}
	return all
}

func (p *Plan) nodes(kernel string) []int {
	if slices.Contains(squares(), kernel) {
		return p.Squares
	}
	return p.Nodes
}

// Check returns what cannot be run.
func (p *Plan) Check() error {
	for _, k := range p.Kernels {
		if !slices.Contains(Kernels(), k) {
			return fmt.Errorf("%w: no kernel %q; there is %s", bench.ErrInput, k, strings.Join(Kernels(), ", "))
		}
	}
	for _, c := range p.Classes {
		if _, err := nas.ParseClass(c); err != nil {
			return fmt.Errorf("%w: %w", bench.ErrInput, err)
		}
	}
	for _, s := range p.Series {
		for _, n := range slices.Concat(p.Nodes, p.Squares) {
			if _, err := job(n, s.Model, p.Compute, p.Settings); err != nil {
				return fmt.Errorf("%w: %w", bench.ErrInput, err)
			}
		}
	}
	return nil
}

// Pick returns the series of the given names, all layers if there are none.
func Pick(names []string) (picked []Series, err error) {
	if len(names) == 0 {
		return AllSeries(), nil
	}
	for _, name := range names {
		s, known, ok := bench.Pick(append(AllSeries(), Cheap()...), func(s Series) string { return s.Name }, name)
		if !ok {
			return nil, fmt.Errorf("%w: no series %q; there is %s", bench.ErrInput, name, known)
		}
		picked = append(picked, s)
	}
	return picked, nil
}

// Counts splits numbers of nodes into those for most kernels and those for kernels that need squares. The
// latter get the next square where a number is not one: 9 for 8, 4 for 2.
func Counts(nodes []int) (powers, square []int, err error) {
	for _, n := range nodes {
		root, exact := nas.SquareRoot(n)
		switch {
		case nas.IsPowerOfTwo(n):
			powers = append(powers, n)
		case !exact:
			return nil, nil, fmt.Errorf("%w: %d nodes; kernels take a power of two or a square", bench.ErrInput, n)
		}
		if !exact {
			n = (root + 1) * (root + 1)
		}
		if !slices.Contains(square, n) {
			square = append(square, n)
		}
	}
	return powers, square, nil
}
