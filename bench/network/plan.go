package network

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"rhinet/bench"
	"rhinet/nicemu/network"
	"rhinet/nicemu/param"
)

// A Plan says what to measure.
type Plan struct {
	Topology *network.Topology
	Table    *param.Table
	Traffic  []string  // kinds, of Kinds
	Loads    []float64 // load of each host, as fractions of a link's data rate, including headers
	Bytes    int       // of payload
	Hot      float64   // hot-spot traffic: fraction of the packets that go to the first host
	Seed     uint64
	WarmUp   time.Duration // virtual time before the measurement starts
	Time     time.Duration // measured virtual time
}

// Limits of a plan.
const (
	leastLoad = 0.001
	mostLoad  = 2
	mostTime  = 10 * time.Second
)

// Load returns the table of a switch with settings.
func Load(design string, settings []string) (*param.Table, error) {
	t, err := network.Parameters(design)
	if err != nil {
		return nil, input(err)
	}
	if err := t.SetAll(settings); err != nil {
		return nil, input(fmt.Errorf("%w; bench model parameters lists them", err))
	}
	return t, nil
}

// Topology reads a file, or generates a topology by a rule.
func Topology(text string, seed uint64) (*network.Topology, error) {
	f, err := os.Open(text)
	if err != nil {
		t, err := network.Generate(text, seed)
		return t, input(err)
	}
	defer f.Close()
	t, err := network.NamedTopology(text, f, seed)
	return t, input(err)
}

// input marks an error of the user's input.
func input(err error) error {
	return bench.Input(err, network.ErrTopology, network.ErrParameters, network.ErrDeadlock, param.ErrSetting)
}

// Check returns what is wrong with a plan; it builds the network once and proves that it cannot deadlock.
func (p *Plan) Check() error {
	if err := p.checkTraffic(); err != nil {
		return err
	}
	if p.WarmUp < 0 || p.WarmUp > mostTime || p.Time <= 0 || p.Time > mostTime {
		return fmt.Errorf("%w: %v of virtual time to measure, after %v; give above 0, and up to %v each", bench.ErrInput, p.Time, p.WarmUp, mostTime)
	}
	if mtu := p.Table.Int("packet.mtu"); p.Bytes < 0 || p.Bytes > mtu {
		return fmt.Errorf("%w: packets of %d bytes; they have 0 to %d (packet.mtu)", bench.ErrInput, p.Bytes, mtu)
	}
	r, err := newRun(p)
	if err != nil {
		return input(err)
	}
	return input(r.n.Routes().CheckDeadlock())
}

func (p *Plan) checkTraffic() error {
	if len(p.Traffic) == 0 {
		return fmt.Errorf("%w: no traffic is named; there is %s", bench.ErrInput, Kinds)
	}
	if len(p.Loads) == 0 {
		return fmt.Errorf("%w: no load is given; give parts of a link's rate, %v to %v", bench.ErrInput, leastLoad, mostLoad)
	}
	for _, name := range p.Traffic {
		if !slices.Contains(strings.Split(Kinds, ", "), name) {
			return fmt.Errorf("%w: unknown traffic %q; there is %s", bench.ErrInput, name, Kinds)
		}
	}
	for _, load := range p.Loads {
		if !(load >= leastLoad && load <= mostLoad) {
			return fmt.Errorf("%w: a load of %v; give parts of a link's rate, %v to %v", bench.ErrInput, load, leastLoad, mostLoad)
		}
	}
	if !(p.Hot >= 0 && p.Hot <= 1) {
		return fmt.Errorf("%w: %v of the packets to the hot spot; give 0 to 1", bench.ErrInput, p.Hot)
	}
	return nil
}
