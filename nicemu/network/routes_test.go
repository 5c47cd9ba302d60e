package network

import (
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"rhinet/nicemu/vtime"
)

// randomTopology draws an irregular network of 2 to 21 switches.
func randomTopology(r *rand.Rand) *Topology {
	return random(2+r.IntN(20), 1+r.IntN(4), r.Uint64())
}

// TestRandomGraphsDoNotDeadlock: on 1,000 random graphs the dependencies of channels have no cycle,
// with the reduced and with the full form of the structured channel method; routes are shortest;
// and each network, filled, drains.
func TestRandomGraphsDoNotDeadlock(t *testing.T) {
	draw := rand.New(rand.NewPCG(12, 34))
	fewer := 0
	for i := range 1000 {
		topology := randomTopology(draw)
		if err := topology.Check(64); err != nil {
			t.Fatal(err)
		}
		full, reduced := NewRoutes(topology, Full), NewRoutes(topology, Reduced)
		for _, r := range []*Routes{full, reduced} {
			if err := r.CheckDeadlock(); err != nil {
				t.Fatalf("graph %d: %v", i, err)
			}
		}
		if reduced.Channels() > full.Channels() {
			t.Fatalf("graph %d: the reduced form needs %d channels, the full one %d", i, reduced.Channels(), full.Channels())
		}
		if reduced.Channels() < full.Channels() {
			fewer++
		}
		checkShortest(t, topology, reduced)
		fillOne(t, topology, draw.Uint64(), i)
	}
	if fewer < 500 {
		t.Errorf("the reduced form saves channels on %d graphs only", fewer)
	}
}

// fillOne fills a network whose buffers have room for one packet more than the minimum.
func fillOne(t *testing.T, topology *Topology, seed uint64, i int) {
	t.Helper()
	design, set := "rhinet3", "switch.buffer=8448" // 16 channels of 528
	if i%2 == 0 {
		design, set = "rhinet2", "switch.buffer=12800"
	}
	r := newRig(t, topology, parameters(t, design, "switch.channels=16", set, "switch.ports=64"), seed)
	r.fill(8, seed)
	r.drain()
}

// checkShortest compares the lengths of routes with those of Floyd and Warshall.
func checkShortest(t *testing.T, topology *Topology, r *Routes) {
	t.Helper()
	n := len(topology.Switches)
	d := make([][]int, n)
	for i := range d {
		d[i] = make([]int, n)
		for j := range d[i] {
			if i != j {
				d[i][j] = 1 << 20
			}
		}
	}
	at := make([]int, len(topology.Hosts))
	for _, l := range topology.Links {
		if l.between() {
			d[l.A.Index][l.B.Index], d[l.B.Index][l.A.Index] = 1, 1
		} else {
			at[l.A.Index] = l.B.Index
		}
	}
	for k := range n {
		for i := range n {
			for j := range n {
				d[i][j] = min(d[i][j], d[i][k]+d[k][j])
			}
		}
	}
	for src := range at {
		for dst := range at {
			if way := r.Way(src, dst); src != dst && len(way) != 3+d[at[src]][at[dst]] {
				t.Fatalf("the way %v has %d switches; the shortest has %d", way, len(way)-2, 1+d[at[src]][at[dst]])
			}
		}
	}
}

// TestWhoRaisesTheChannel is the example of the specification (martini, section 1.3): a switch with
// three links to others raises the channel, one with two does not, and in a ring one switch does.
func TestWhoRaisesTheChannel(t *testing.T) {
	for topology, want := range map[string]string{
		"line:5x1": "00000", "ring:4x1": "1000", "ring:3x1": "100", "tree:3x1x1": "1000", "tree:2x2x1": "0110000", "full:4x1": "1111", "full:2x1": "00", "one:3": "0",
	} {
		got := ""
		for _, raises := range NewRoutes(generate(t, topology), Reduced).raises {
			got += string('0' + rune(b2u(raises)))
		}
		if got != want {
			t.Errorf("%s: %s; want %s", topology, got, want)
		}
	}
	// A route may pass as many switches as there are channels.
	r := NewRoutes(generate(t, "line:5x1"), Full)
	if r.Channels() != 5 || r.CheckChannels(5) != nil {
		t.Errorf("a line of 5 needs %d channels", r.Channels())
	}
	if err := r.CheckChannels(4); !errors.Is(err, ErrTopology) {
		t.Error(err)
	}
	if c := NewRoutes(generate(t, "line:5x1"), Reduced).Channels(); c != 1 {
		t.Errorf("a line of 5 needs %d channels", c)
	}
}

// TestFlatRingDeadlocks: without raised channels a ring can deadlock: the check reports it, and it
// happens.
func TestFlatRingDeadlocks(t *testing.T) {
	topology := generate(t, "ring:5x1")
	err := NewRoutes(topology, Flat).CheckDeadlock()
	if !errors.Is(err, ErrDeadlock) || !strings.Contains(err.Error(), "s0 to s1 on channel 0") {
		t.Errorf("%v", err)
	}
	for method, stuck := range map[string]bool{"flat": true, "reduced": false} {
		r := newRig(t, topology, parameters(t, "rhinet3", "network.method="+method, "switch.channels=2", "switch.buffer=600"), 1)
		for range 10 {
			for h := range 5 {
				r.send(h, (h+2)%5, 2048)
			}
		}
		if err := r.k.Run(1_000_000); err != nil {
			t.Fatal(err)
		}
		if r.Stuck() != stuck {
			t.Errorf("%s: stuck is %v, %+v", method, r.Stuck(), r.Counts())
		}
	}
}

// TestParallelLinks: parallel links share the traffic, by destination.
func TestParallelLinks(t *testing.T) {
	topology, err := ReadTopology(strings.NewReader("switch a b\nhost h i j k\nlink h a\nlink i b\nlink j b\nlink k b\nlink a b\nlink a b\n"))
	if err != nil {
		t.Fatal(err)
	}
	r := NewRoutes(topology, Reduced)
	if err := r.CheckDeadlock(); err != nil {
		t.Fatal(err)
	}
	if r.next[0][1] == r.next[0][2] {
		t.Error("two hosts are reached by one of two links")
	}
}

func TestTopologyText(t *testing.T) {
	for _, text := range []string{"pair", "one:5", "line:3x2", "ring:4x3", "full:4x4", "tree:2x3x2", "random:12x2x9"} {
		first := generate(t, text)
		if err := first.Check(8); err != nil {
			t.Fatal(err)
		}
		var b strings.Builder
		if _, err := first.WriteTo(&b); err != nil {
			t.Fatal(err)
		}
		second, err := ReadTopology(strings.NewReader(b.String()))
		if err != nil {
			t.Fatal(err)
		}
		var again strings.Builder
		if _, err := second.WriteTo(&again); err != nil || again.String() != b.String() {
			t.Errorf("%s is read as %s", b.String(), again.String())
		}
	}
	with, err := ReadTopology(strings.NewReader("# two hosts\nhost a b # and\n\nlink a b 30.5\n"))
	if err != nil || with.Links[0].Metres != 30.5 || with.LinkName(0) != "a-b" {
		t.Errorf("%+v, %v", with, err)
	}
}

func TestWrongTopologyFiles(t *testing.T) {
	for text, want := range map[string]string{
		"cable a b":                         `line 1: unknown statement "cable"; a line begins with switch, host or link`,
		"switch":                            "line 1: switch names nothing",
		"\nhost a-b":                        `line 2: "a-b" is no name`,
		"host a a":                          "line 1: a is declared twice",
		"host a b\nlink a":                  "line 2: link takes two nodes and, if you like, metres; not 1 words",
		"host a b\nlink a c":                "line 2: c is not declared; write host c or switch c above",
		"switch a\nlink a a":                "line 2: a is linked to itself",
		"host a b c\nlink a b\n#\nlink a c": "line 4: host a has a link already; a host has exactly one",
		"host a b\nlink a b long":           `line 2: "long" is no length in metres`,
		"host a b\nlink a b -1":             `line 2: "-1" is no length in metres`,
		"host a b\nlink a b NaN":            `line 2: "NaN" is no length in metres`,
		strings.Repeat("#", mostText+1):     "the file has more than",
		"host" + manyNames():                "line 1: more than 65536 hosts and switches",
	} {
		_, err := ReadTopology(strings.NewReader(text))
		if !errors.Is(err, ErrTopology) || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%.40q: %v; want %s", text, err, want)
		}
	}
	if _, err := ReadTopology(broken{}); !errors.Is(err, ErrTopology) {
		t.Error(err)
	}
}

type broken struct{}

func (broken) Read([]byte) (int, error) { return 0, errors.New("a worn disk") }

func manyNames() string {
	var b strings.Builder
	for i := range mostNodes + 1 {
		b.WriteString(" h" + strings.Repeat("x", i%7) + string(rune('a'+i%26)) + "_" + itoa(i))
	}
	return b.String()
}

func itoa(i int) string {
	text := ""
	for ; i > 0; i /= 10 {
		text = string(rune('0'+i%10)) + text
	}
	return text
}

// TestTopologiesThatAreNone: a topology that can be read may still be invalid.
func TestTopologiesThatAreNone(t *testing.T) {
	for text, want := range map[string]string{
		"host a":                       "1 hosts; a network has at least two",
		"host a b\nswitch s\nlink a s": "host b has 0 links; it needs exactly one",
		"switch s r\nhost a b\nlink a s\nlink b r": "no way from host a to host b",
		"switch s r\nhost a b\nlink a s\nlink b s": "no way from host a to switch r",
	} {
		topology, err := ReadTopology(strings.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		if err := topology.Check(8); !errors.Is(err, ErrTopology) || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("%q: %v; want %s", text, err, want)
		}
	}
	loop := &Topology{Hosts: []string{"a", "b"}, Switches: []string{"s"}, Links: []Link{{A: Node{true, 0}, B: Node{true, 0}}}}
	if err := loop.Check(8); !errors.Is(err, ErrTopology) {
		t.Error(err)
	}
}

func TestWrongRules(t *testing.T) {
	for text, want := range map[string]string{
		"star:3":          `no file and no rule "star:3"; the rules are pair, one:HOSTS, line:SWITCHESxHOSTS`,
		"one":             "write one:HOSTS",
		"one:1":           `HOSTS is "1"; give a whole number from 2 to 65536`,
		"line:2x":         `HOSTS is ""`,
		"pair:2":          "write pair",
		"ring:2x1":        `SWITCHES is "2"; give a whole number from 3`,
		"random:3":        "write random:SWITCHESxHOSTS[xSEED]",
		"random:3x1x1x1":  "write random:SWITCHESxHOSTS[xSEED]",
		"line:5000x5000":  "more than 65536 nodes",
		"tree:10x60000x1": "more than 65536 nodes",
		"one:70000":       `HOSTS is "70000"`,
	} {
		if _, err := Generate(text, 1); !errors.Is(err, ErrTopology) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v; want %s", text, err, want)
		}
	}
	a, b := generate(t, "random:9x2"), generate(t, "random:9x2x1")
	if len(a.Links) != len(b.Links) || a.Links[20] != b.Links[20] {
		t.Error("a random graph without a seed of its own is not that of the given seed")
	}
}

// TestThousandHosts: a network of a thousand hosts is built, and packets cross it.
func TestThousandHosts(t *testing.T) {
	r := newRig(t, generate(t, "tree:8x2x16"), parameters(t, "rhinet2", "switch.ports=32"), 1)
	r.fill(1, 1)
	r.drain()
	if r.Hosts() != 1024 || r.k.Now() < vtime.Microsecond {
		t.Errorf("%d hosts, drained at %v", r.Hosts(), r.k.Now())
	}
}
