package loggp

import (
	"fmt"

	"rhinet/nicemu/medium"
	"rhinet/nicemu/param"
	"rhinet/nicemu/vtime"
)

// A LogGP is a network without topology: packets queue only where they leave a rank and where they
// enter one.
type LogGP struct {
	flow
	costs   medium.Costs
	ranks   int
	latency vtime.Time
}

var _ medium.Model = (*LogGP)(nil)

// New returns the network of the given number of ranks with the parameters of [Parameters].
func New(k *vtime.Kernel, ranks int, t *param.Table) *LogGP {
	m := &LogGP{costs: costs(t), ranks: ranks, latency: vtime.Nanoseconds(t.Value("L"))}
	m.flow = newFlow(k, "loggp", 2*ranks, m)
	m.gap, m.perByte = vtime.Nanoseconds(t.Value("g")), medium.PerByte(t.Value("G"))
	return m
}

// Lookahead is L.
func (m *LogGP) Lookahead() vtime.Time { return m.latency }

// Costs returns the costs o, O, of a poll, and S.
func (m *LogGP) Costs() medium.Costs { return m.costs }

func (m *LogGP) hop(src, dst, i int) (link int, delay vtime.Time, last bool) {
	if i == 0 {
		return src, m.latency, false
	}
	return m.ranks + dst, 0, true
}

func (m *LogGP) name(link int) string {
	if link < m.ranks {
		return fmt.Sprintf("out of rank %d", link)
	}
	return fmt.Sprintf("into rank %d", link-m.ranks)
}
