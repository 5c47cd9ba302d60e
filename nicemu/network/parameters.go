package network

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"rhinet/nicemu/param"
	"rhinet/nicemu/vtime"
)

// ErrParameters is wrapped by errors about parameters that do not fit together.
var ErrParameters = errors.New("network: parameters do not fit")

// A design holds the differences between the switches of the specification.
type design struct {
	name                string
	rate                float64
	rateSource          string
	protection, control float64
	controlSource       string
	protectionSource    string
}

// The choices, by index.
var (
	protections  = []string{"ecc", "retransmit"}
	controls     = []string{"stop-go", "credit"}
	arbitrations = []string{"round-robin", "oldest"}
	methods      = []string{"reduced", "full", "flat"}
)

const (
	ecc        = 0
	retransmit = 1
	stopGo     = 0
	roundRobin = 0
)

func designs() []design {
	return []design{
		{"rhinet2", 6, "1.5: RHiNET-2 links ran at 3/4 speed", ecc, stopGo, "1.4, 1.5: RHiNET-2/SW", "1.4: RHiNET-2"},
		{"rhinet3", 10, "1.5: RHiNET-3/SW", retransmit, 1, "1.4, 1.5: RHiNET-3/SW", "1.4: RHiNET-3"},
	}
}

// Designs names the designs of switches.
func Designs() string {
	var names []string
	for _, d := range designs() {
		names = append(names, d.name)
	}
	return strings.Join(names, ", ")
}

// Parameters returns the table of a design: "rhinet2" or "rhinet3". Sections in it are those of the
// specification "martini".
func Parameters(name string) (*param.Table, error) {
	i := slices.IndexFunc(designs(), func(d design) bool { return d.name == name })
	if i < 0 {
		return nil, fmt.Errorf("%w: unknown switch %q; there is %s", ErrParameters, name, Designs())
	}
	d := designs()[i]
	return param.New(slices.Concat(linkParameters(d), switchParameters(d), packetParameters())...), nil
}

func linkParameters(d design) []param.Parameter {
	return []param.Parameter{
		{Name: "link.rate", Unit: "Gbit/s", Value: d.rate, Least: 0.1, Most: 1000, About: "raw rate of each direction", Source: d.rateSource},
		{Name: "link.raw-bits", Unit: "bit", Value: 80, Least: 1, Most: 4096, Whole: true, About: "a flit on the link", Source: "1.5"},
		{Name: "link.data-bits", Unit: "bit", Value: 64, Least: 8, Most: 2048, Whole: true, About: "data of a flit", Source: "1.5"},
		{Name: "link.length", Unit: "m", Value: 2, Most: mostMetres, About: "length where a topology gives none", Source: "chosen, because with link.propagation it is the wire of 12.2, 10 ns"},
		{Name: "link.propagation", Unit: "ns/m", Value: 5, Most: 100, About: "delay of the medium", Source: "chosen, because light in glass takes it"},
		{Name: "link.bit-errors", Unit: "per bit", Value: 0, Most: 0.01, About: "probability that a bit arrives wrong", Source: "chosen, because 1.4 calls links error-free; set it to inject errors"},
		{Name: "link.protection", Choices: protections, Value: d.protection, About: "what is done about wrong bits", Source: d.protectionSource},
		{Name: "link.ecc-corrects", Unit: "bit", Value: 2, Most: 64, Whole: true, About: "wrong bits of a flit that ECC corrects", Source: "chosen, because 14 check bits (1.5) suffice for a BCH code that corrects 2"},
		{Name: "link.sequence-bits", Unit: "bit", Value: 8, Least: 2, Most: 16, Whole: true, About: "sequence number of a flit; the rest of what is no data is CRC", Source: "chosen, because 1.5 gives 16 bits for both and leaves the split open"},
		{Name: "link.reject", Unit: "flits", Value: 4, Most: 10000, Whole: true, About: "from a bad flit's arrival until its rejection leaves", Source: "chosen, because check and turn to the other direction take some clocks"},
		{Name: "link.timeout", Unit: "flits", Value: 64, Least: 8, Most: 1e6, Whole: true, About: "beyond the round trip, until what is not acknowledged is sent again", Source: "chosen, because it must exceed link.reject"},
	}
}

func switchParameters(d design) []param.Parameter {
	return []param.Parameter{
		{Name: "switch.ports", Unit: "ports", Value: 8, Least: 1, Most: 1024, Whole: true, About: "links of one switch", Source: "1.5"},
		{Name: "switch.channels", Unit: "channels", Value: 8, Least: 1, Most: 64, Whole: true, About: "virtual channels of a link", Source: "chosen, because 1.3 asks for the order of the diameter"},
		{Name: "switch.buffer", Unit: "flits", Value: 8192, Least: 1, Most: 1e9, Whole: true, About: "packet buffer of a port, shared evenly by its channels", Source: "chosen, because 1.5 calls it large: 64 Kbyte a port, three packets and the slack for each channel"},
		{Name: "switch.flow-control", Choices: controls, Value: d.control, About: "how a buffer holds its sender back", Source: d.controlSource},
		{Name: "switch.slack", Unit: "flits", Value: 448, Least: 1, Most: 1e9, Whole: true, About: "Stop-and-Go: room when Stop is sent", Source: "chosen by the rule of 1.4: 200 m (1.5) there and back, and one packet"},
		{Name: "switch.go", Unit: "flits", Value: 256, Most: 1e9, Whole: true, About: "Stop-and-Go: what is left in the buffer when Go is sent", Source: "chosen, because a packet must remain to be sent while Go travels"},
		{Name: "switch.route", Unit: "ns", Value: 80, Most: 1e6, About: "from the header's arrival until an output is asked for", Source: "chosen, because check, lookup and request take about 6 flit clocks"},
		{Name: "switch.cross", Unit: "ns", Value: 40, Most: 1e6, About: "from the grant until the first flit leaves", Source: "chosen, because crossbar and coding take about 3 flit clocks"},
		{Name: "switch.inputs", Unit: "packets", Value: 1, Least: 1, Most: 64, Whole: true, About: "that one input port sends through the crossbar at once", Source: "chosen, because an 8x8 crossbar (1.5) has one line a port"},
		{Name: "switch.arbitration", Choices: arbitrations, Value: roundRobin, About: "who gets an output", Source: "chosen, because it starves nobody and needs no time stamps"},
		{Name: "network.method", Choices: methods, Value: 0, About: "structured channel method; flat can deadlock", Source: "1.3: the reduced form"},
	}
}

func packetParameters() []param.Parameter {
	return []param.Parameter{
		{Name: "packet.header", Unit: "flits", Value: 5, Least: 1, Most: 64, Whole: true, About: "of every packet", Source: "4.3"},
		{Name: "packet.mtu", Unit: "bytes", Value: 2048, Least: 1, Most: 1 << 20, Whole: true, About: "most payload of a packet", Source: "1.2"},
	}
}

// settings are the parameters in the form that the model uses.
type settings struct {
	flit         vtime.Clock
	rawBits      int
	dataBits     int
	metres       float64
	perMetre     float64 // ns
	bitErrors    float64
	protection   int
	corrects     int
	sequenceBits int
	reject       int64
	timeout      int64
	ports        int
	channels     int
	buffer       int // flits of one channel
	control      int
	slack        int
	goAt         int
	route        vtime.Time
	cross        vtime.Time
	inputs       int
	arbitration  int
	method       Method
	header       int
	mtu          int
}

func resolve(p *param.Table) (settings, error) {
	s := settings{
		rawBits: p.Int("link.raw-bits"), dataBits: p.Int("link.data-bits"), metres: p.Value("link.length"), perMetre: p.Value("link.propagation"),
		bitErrors: p.Value("link.bit-errors"), protection: p.Int("link.protection"), corrects: p.Int("link.ecc-corrects"),
		sequenceBits: p.Int("link.sequence-bits"), reject: int64(p.Int("link.reject")), timeout: int64(p.Int("link.timeout")),
		ports: p.Int("switch.ports"), channels: p.Int("switch.channels"), control: p.Int("switch.flow-control"), slack: p.Int("switch.slack"),
		goAt: p.Int("switch.go"), route: vtime.Nanoseconds(p.Value("switch.route")), cross: vtime.Nanoseconds(p.Value("switch.cross")),
		inputs: p.Int("switch.inputs"), arbitration: p.Int("switch.arbitration"), method: Method(p.Int("network.method")),
		header: p.Int("packet.header"), mtu: p.Int("packet.mtu"),
	}
	s.buffer = p.Int("switch.buffer") / s.channels
	var err error
	if s.flit, err = vtime.NewClock(uint64(math.Round(p.Value("link.rate")*1e9)), uint64(s.rawBits)); err != nil {
		return s, fmt.Errorf("%w: link.rate: %w", ErrParameters, err)
	}
	return s, s.check()
}

// check reports parameters that contradict each other.
func (s *settings) check() error {
	crc := s.rawBits - s.dataBits - s.sequenceBits
	switch {
	case s.rawBits < s.dataBits:
		return fmt.Errorf("%w: link.raw-bits %d are less than link.data-bits %d", ErrParameters, s.rawBits, s.dataBits)
	case s.protection == retransmit && (crc < leastCRC || crc > mostCRC):
		return fmt.Errorf("%w: link.raw-bits - link.data-bits - link.sequence-bits leave %d bits of CRC; it takes %d to %d", ErrParameters, crc, leastCRC, mostCRC)
	case s.buffer < s.flits(s.mtu):
		return fmt.Errorf("%w: switch.buffer / switch.channels is %d flits; a packet of packet.mtu has %d", ErrParameters, s.buffer, s.flits(s.mtu))
	case s.control == stopGo && s.slack+s.goAt > s.buffer:
		return fmt.Errorf("%w: switch.slack and switch.go are %d flits; a channel has %d (switch.buffer / switch.channels)", ErrParameters, s.slack+s.goAt, s.buffer)
	}
	return nil
}

// flits returns the length of a packet with that many bytes of payload.
func (s *settings) flits(bytes int) int { return s.header + (8*bytes+s.dataBits-1)/s.dataBits }

// delay returns the time that a link takes.
func (s *settings) delay(l Link) vtime.Time {
	m := l.Metres
	if m == 0 {
		m = s.metres
	}
	return vtime.Nanoseconds(m * s.perMetre)
}

// windowFills reports whether there are enough sequence numbers for all flits in flight on a link
// with a delay: then retransmission has no effect in the absence of errors.
func (s *settings) windowFills(delay vtime.Time) bool {
	return int64(1)<<s.sequenceBits-1 > s.flit.Index(2*delay)+2
}

// enough returns an error if a link is too long for the slack: the flits in flight when Stop is
// sent must fit (martini, section 1.4).
func (s *settings) enough(t *Topology) error {
	for i, l := range t.Links {
		need := s.flit.Index(2*s.delay(l)) + int64(s.flits(s.mtu))
		if s.control == stopGo && need > int64(s.slack) {
			return fmt.Errorf("%w: link %s needs a switch.slack of %d flits (its length there and back, and one packet), and it is %d", ErrParameters, t.LinkName(i), need, s.slack)
		}
	}
	return nil
}
