package barriers

import (
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strconv"

	"rhinet/bench"
	"rhinet/bench/report"
	"rhinet/nicemu/param"
	"rhinet/nicemu/syncctl"
	"rhinet/nicemu/vtime"
)

// A Plan says what to measure.
type Plan struct {
	Nodes  []int
	Spread float64 // processes arrive at random within this many microseconds; 0: all at once
	Rounds int     // rounds with random arrivals at each point
	Seed   uint64
	Table  *param.Table // syncctl.Parameters
}

// Limits of a plan.
const (
	mostNodes  = 1024
	mostRounds = 100_000
)

// Check reports what is wrong with the plan.
func (p *Plan) Check() error {
	if len(p.Nodes) == 0 {
		return fmt.Errorf("%w: no number of nodes", bench.ErrInput)
	}
	for _, n := range p.Nodes {
		if n < 1 || n > mostNodes {
			return fmt.Errorf("%w: %d nodes; give 1 to %d", bench.ErrInput, n, mostNodes)
		}
	}
	if !(p.Spread >= 0 && p.Spread <= 1e6) {
		return fmt.Errorf("%w: a spread of %g us; give 0 to 1,000,000", bench.ErrInput, p.Spread)
	}
	if p.Rounds < 1 || p.Rounds > mostRounds {
		return fmt.Errorf("%w: %d rounds; give 1 to %d", bench.ErrInput, p.Rounds, mostRounds)
	}
	return nil
}

// A Row is a synchronization on a number of nodes.
type Row struct {
	Test    string  `json:"test"`
	Nodes   int     `json:"nodes"`
	Torus   string  `json:"torus"`
	Packets float64 `json:"packets"`   // event packets of one round
	Chain   int     `json:"chain"`     // hops of the longest chain of packets
	Mean    float64 `json:"usec"`      // from the last arrival until the last process continues; for the lock: from one holder to the next
	Worst   float64 `json:"usec_max"`  // the same, for the slowest round
	Skew    float64 `json:"skew_usec"` // between the first and the last process that continue
}

func (r Row) cells() []string {
	f := func(v float64) string { return strconv.FormatFloat(v, 'f', 2, 64) }
	return []string{r.Test, strconv.Itoa(r.Nodes), r.Torus, f(r.Packets), strconv.Itoa(r.Chain), f(r.Mean), f(r.Worst), f(r.Skew)}
}

// Write writes rows in one of bench.ModelFormats.
func Write(out io.Writer, format string, rows []Row) error {
	return bench.WriteModel(out, format, []string{"test", "nodes", "torus", "packets", "chain", "usec", "usec_max", "skew_usec"}, rows, Row.cells)
}

// Plot draws the mean time over the nodes, a line for each test.
func Plot(rows []Row) (*report.Figure, error) {
	var curves []report.Curve
	for _, r := range rows {
		i := slices.IndexFunc(curves, func(c report.Curve) bool { return c.Name == r.Test })
		if i < 0 {
			i, curves = len(curves), append(curves, report.Curve{Name: r.Test})
		}
		curves[i].X, curves[i].Y = append(curves[i].X, float64(r.Nodes)), append(curves[i].Y, r.Mean)
	}
	return report.Lines("barriers", "synchronization controller", "nodes", "time (µs)", curves)
}

// Run measures all barriers that are possible on each number of nodes, the hardware barrier (two codes of
// RBCQ-1), and the Non-Collision Lock in comparison with a mutex, and reports rows as they come.
func (p *Plan) Run(report func(Row)) error {
	for _, n := range p.Nodes {
		for _, kind := range []syncctl.Kind{syncctl.MasterSlave, syncctl.Aligned, syncctl.Shuffle, syncctl.ModifiedShuffle} {
			if err := p.take(n, kind.String(), &rounds{kind: kind}, report); err != nil {
				return err
			}
		}
		if err := p.take(n, "RBCQ-1, two codes", &rounds{codes: true}, report); err != nil {
			return err
		}
		for _, kind := range []syncctl.Kind{syncctl.NCLAcquire, syncctl.MutexLock} {
			if err := p.lock(n, kind, report); err != nil {
				return err
			}
		}
	}
	return nil
}

// rounds has all nodes synchronize repeatedly.
type rounds struct {
	kind  syncctl.Kind
	codes bool // use RBCQ-1 instead

	m        *syncctl.Machine
	k        *vtime.Kernel
	self     vtime.Source
	rng      *rand.Rand
	spread   float64
	left     int // rounds, including this one
	came     vtime.Time
	second   []bool // for codes: a node is in the second of the two
	gone     int
	earliest vtime.Time
	err      error

	sum, worst, skew vtime.Time
}

func (p *Plan) take(nodes int, test string, r *rounds, report func(Row)) error {
	torus := syncctl.Grid(nodes)
	if err := r.start(p, torus); err != nil {
		return err
	}
	if !r.codes && r.m.Check(0, syncctl.Command{Kind: r.kind}) != nil {
		return nil // not possible on this many nodes
	}
	if err := r.k.Run(1 << 40); err != nil || r.err != nil {
		return fmt.Errorf("%s on %d nodes: %w", test, nodes, firstOf(r.err, err))
	}
	if r.left != 0 {
		return fmt.Errorf("%s on %d nodes: %d rounds did not end", test, nodes, r.left)
	}
	n := float64(p.Rounds)
	report(Row{test, nodes, fmt.Sprintf("%dx%d", torus.Rows, torus.Columns), float64(r.m.Packets()) / n, r.m.Chain(),
		micros(r.sum) / n, micros(r.worst), micros(r.skew) / n})
	return nil
}

func firstOf(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

func micros(t vtime.Time) float64 { return float64(t) / float64(vtime.Microsecond) }

func (r *rounds) start(p *Plan, torus syncctl.Torus) (err error) {
	r.k = new(vtime.Kernel)
	if r.m, err = syncctl.NewMachine(r.k, torus, p.Table); err != nil {
		return fmt.Errorf("%w: %w", bench.ErrInput, err)
	}
	r.self, r.rng = r.k.Source("processes"), rand.New(rand.NewPCG(p.Seed, uint64(torus.Nodes())))
	r.spread, r.left, r.second = p.Spread, p.Rounds, make([]bool, torus.Nodes())
	r.arrive()
	return nil
}

// arrive draws the arrivals of a round.
func (r *rounds) arrive() {
	r.gone, r.earliest = 0, vtime.Time(1<<62)
	for n := range r.second {
		d := vtime.Time(r.rng.Float64() * r.spread * float64(vtime.Microsecond))
		r.came = max(r.came, r.k.Now()+d)
		r.self.After(d, r, n, 0)
	}
}

// Act is the arrival of a node.
func (r *rounds) Act(node int, _ uint64) {
	if r.codes {
		r.m.Code(node, 1, r)
		return
	}
	if err := r.m.Command(node, syncctl.Command{Kind: r.kind}, r); err != nil && r.err == nil {
		r.err = err
	}
}

// Resume is the end of a node's wait.
func (r *rounds) Resume(node int, _ syncctl.Command, _ syncctl.Status) {
	if r.codes && !r.second[node] {
		r.second[node] = true
		r.m.Code(node, 1, r)
		return
	}
	r.second[node] = false
	now := r.k.Now()
	r.earliest = min(r.earliest, now)
	if r.gone++; r.gone < len(r.second) {
		return
	}
	took := now - r.came
	r.sum, r.worst, r.skew = r.sum+took, max(r.worst, took), r.skew+now-r.earliest
	if r.left--; r.left > 0 {
		r.arrive()
	}
}

// turns has all nodes acquire one lock a number of times, and release it at once.
type turns struct {
	m       *syncctl.Machine
	k       *vtime.Kernel
	kind    syncctl.Kind
	left    []int
	grants  int
	last    vtime.Time // of the latest grant
	sum     vtime.Time
	longest vtime.Time
	err     error
}

// lock measures the time from one holder to the next while all nodes want the lock of node 0.
func (p *Plan) lock(nodes int, kind syncctl.Kind, report func(Row)) error {
	t := &turns{k: new(vtime.Kernel), kind: kind, left: make([]int, nodes)}
	torus := syncctl.Grid(nodes)
	m, err := syncctl.NewMachine(t.k, torus, p.Table)
	if err != nil {
		return fmt.Errorf("%w: %w", bench.ErrInput, err)
	}
	t.m = m
	if err := m.Prepare(0, kind, 0, 0); err != nil {
		return err
	}
	for n := range nodes {
		t.left[n] = p.Rounds
		t.want(n)
	}
	if err := firstOf(t.k.Run(1<<40), t.err); err != nil {
		return fmt.Errorf("%v on %d nodes: %w", kind, nodes, err)
	}
	n := float64(t.grants)
	report(Row{Test: kind.String(), Nodes: nodes, Torus: fmt.Sprintf("%dx%d", torus.Rows, torus.Columns), Packets: float64(m.Packets()) / n,
		Mean: micros(t.sum) / n, Worst: micros(t.longest)})
	return nil
}

func (t *turns) want(node int) {
	if err := t.m.Command(node, syncctl.Command{Kind: t.kind}, t); err != nil && t.err == nil {
		t.err = err
	}
}

// Resume is a grant, or the answer to a release.
func (t *turns) Resume(node int, c syncctl.Command, s syncctl.Status) {
	if s != syncctl.OK && t.err == nil {
		t.err = fmt.Errorf("%v at node %d: %v", c.Kind, node, s)
	}
	if c.Kind != t.kind {
		return
	}
	now := t.k.Now()
	t.sum, t.longest, t.last = t.sum+now-t.last, max(t.longest, now-t.last), now
	t.grants++
	release := syncctl.NCLRelease
	if t.kind == syncctl.MutexLock {
		release = syncctl.MutexUnlock
	}
	if err := t.m.Command(node, syncctl.Command{Kind: release}, t); err != nil && t.err == nil {
		t.err = err
	}
	if t.left[node]--; t.left[node] > 0 {
		t.want(node)
	}
}
