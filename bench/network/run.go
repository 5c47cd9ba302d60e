package network

import (
	"math/rand/v2"
	"slices"

	"rhinet/nicemu/network"
	"rhinet/nicemu/vtime"
)

// A run is a network under load, for one point of a curve.
type run struct {
	n        *network.Network
	k        *vtime.Kernel
	to       pattern
	bytes    int
	sources  []source
	pool     []*network.Packet
	from     vtime.Time // packets that arrive from this time on count
	bytesIn  uint64     // offered since then
	arrived  uint64
	got      uint64 // bytes
	damaged  uint64
	latency  []vtime.Time
	sent     uint64
	interval float64 // mean picoseconds between two packets of a host
}

// A source is a host that sends at random times.
type source struct {
	vtime.Source
	run  *run
	host int
	r    *rand.Rand
}

func newRun(p *Plan) (*run, error) {
	k := new(vtime.Kernel)
	n, err := network.New(k, p.Topology, p.Table, p.Seed)
	if err != nil {
		return nil, err
	}
	return &run{n: n, k: k, bytes: p.Bytes}, nil
}

// measure measures one point: traffic of a kind at a load.
func (p *Plan) measure(kind string, load float64) (Row, error) {
	r, err := newRun(p)
	if err != nil {
		return Row{}, input(err)
	}
	hosts := r.n.Hosts()
	r.to = newPattern(kind, hosts, p.Hot, rand.New(rand.NewPCG(p.Seed, 1)))
	data := float64(p.Table.Int("link.data-bits")) / 8 * float64(r.n.Flits(p.Bytes))
	r.interval = data / (r.n.DataRate() * load) * float64(vtime.Second)
	r.sources = make([]source, hosts)
	for h := range r.sources {
		r.sources[h] = source{r.k.Source("source"), r, h, rand.New(rand.NewPCG(p.Seed, 2+uint64(h)))}
		r.n.Attach(h, r)
		r.sources[h].again()
	}
	r.from = vtime.Time(p.WarmUp.Nanoseconds()) * vtime.Nanosecond
	until := r.from + vtime.Time(p.Time.Nanoseconds())*vtime.Nanosecond
	r.k.RunUntil(r.from)
	before, busy := r.n.Inside().Integral(r.k.Now()), r.n.Wires()
	r.k.RunUntil(until)
	row := r.row(kind, load, until-r.from)
	row.Inside = (r.n.Inside().Integral(until) - before) / float64(until-r.from)
	row.Busiest = busiest(busy, r.n.Wires(), r.from, until)
	for _, w := range r.n.Wires() {
		row.Resent += w.Resent
	}
	return row, nil
}

// busiest returns the highest utilisation of a link between two times.
func busiest(before, after []network.WireUse, from, until vtime.Time) (most float64) {
	for i := range after {
		sent := after[i].Utilisation*float64(until) - before[i].Utilisation*float64(from)
		most = max(most, sent/float64(until-from))
	}
	return most
}

func (s *source) again() { s.After(vtime.Time(s.r.ExpFloat64()*s.run.interval), s, 0, 0) }

// Act sends a packet and schedules the next one.
func (s *source) Act(int, uint64) {
	r := s.run
	p := new(network.Packet)
	if n := len(r.pool); n > 0 {
		p, r.pool = r.pool[n-1], r.pool[:n-1]
	}
	r.sent++
	p.ID, p.Src, p.Dst, p.Bytes = r.sent, s.host, r.to(s.host, s.r), r.bytes
	if err := r.n.Send(p); err != nil {
		panic(err) // hosts and bytes were checked
	}
	if r.k.Now() >= r.from {
		r.bytesIn += uint64(p.Bytes)
	}
	s.again()
}

// Head does nothing: packets are complete at Tail.
func (r *run) Head(*network.Packet) {}

// Tail counts a packet.
func (r *run) Tail(p *network.Packet) bool {
	if p.Arrived >= r.from {
		r.arrived++
		r.got += uint64(p.Bytes)
		r.latency = append(r.latency, p.Arrived-p.Born)
		if p.Damaged {
			r.damaged++
		}
	}
	r.pool = append(r.pool, p)
	return true
}

// row computes the figures of a point.
func (r *run) row(kind string, load float64, span vtime.Time) Row {
	perHost := 1 / span.Seconds() / float64(r.n.Hosts()) / 1e6
	row := Row{Traffic: kind, Load: load, Hosts: r.n.Hosts(), Bytes: r.bytes, Packets: r.arrived, Damaged: r.damaged,
		Offered: float64(r.bytesIn) * perHost, Accepted: float64(r.got) * perHost}
	if len(r.latency) == 0 {
		return row
	}
	sum := vtime.Time(0)
	for _, l := range r.latency {
		sum += l
	}
	slices.Sort(r.latency)
	row.Mean = sum.Microseconds() / float64(len(r.latency))
	row.Median = r.latency[len(r.latency)/2].Microseconds()
	row.P99 = r.latency[len(r.latency)*99/100].Microseconds()
	row.Little = float64(r.arrived) / span.Microseconds() * row.Mean
	return row
}

// Run measures all points of the plan and reports them as they come.
func (p *Plan) Run(report func(Row)) error {
	for _, kind := range p.Traffic {
		for _, load := range p.Loads {
			row, err := p.measure(kind, load)
			if err != nil {
				return err
			}
			report(row)
		}
	}
	return nil
}
