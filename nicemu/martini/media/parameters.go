package media

import (
	"fmt"
	"slices"
	"strings"

	"rhinet/nicemu/martini/stepped"
	"rhinet/nicemu/martini/timed"
	"rhinet/nicemu/param"
)

// A layer is a way for messages to use the NIC.
type layer struct {
	name     string
	ring     bool // VPUSH to one ring
	hardware bool // without firmware
	own      bool // that of the low-level communication library
}

func layers() []layer {
	return []layer{{name: "", own: true}, {name: "pm"}, {name: "vp", ring: true}, {name: "vpush", ring: true, hardware: true}}
}

// Layers returns the names of the layers.
func Layers() (names []string) {
	for _, l := range layers() {
		names = append(names, l.name)
	}
	return names
}

func find(name string) (layer, error) {
	i := slices.IndexFunc(layers(), func(l layer) bool { return l.name == name })
	if i < 0 {
		return layer{}, fmt.Errorf("media: no message layer %q; there is %s", name, strings.Join(Layers()[1:], ", "))
	}
	return layers()[i], nil
}

// The values of pm.throttle.
const (
	throttleOff = iota
	throttlePeer
	throttleAll
)

func throttles() []string { return []string{"off", "destination", "global"} }

// Parameters returns the table of a layer, including that of everything below it. Sections are
// those of the specification "martini", unless "pm-messaging" is named.
func Parameters(name string) (*param.Table, error) {
	l, err := find(name)
	if err != nil {
		return nil, err
	}
	below, err := timed.Parameters("rhinet2")
	if err != nil {
		return nil, err
	}
	return param.New(append(l.parameters(), below.All()...)...), nil
}

func (l layer) parameters() []param.Parameter {
	whole := func(name, unit string, value, least, most float64, about, source string) param.Parameter {
		return param.Parameter{Name: name, Unit: unit, Value: value, Least: least, Most: most, Whole: true, About: about, Source: source}
	}
	rows := []param.Parameter{
		whole("pm.envelope", "bytes", 32, 0, 256, "source, tag, context and size in each message of the layer", "chosen, because pm-messaging 1.2 leaves them to the upper layer and says no size"),
		whole("pm.ring", "bytes", 128<<10, 16<<10, 1<<20, "of a ring, in pages of 4096", "pm-messaging 1.4.2, 1.5.4"),
		whole("pm.windows", "windows", 1, 1, 16, "that requests are written to in rotation", "pm-messaging 2.3, P3: one"),
	}
	switch {
	case l.own:
		rows[2].Value, rows[2].Source = 4, "chosen, because a process may hold several (3.1), and contflag of one says nothing of the others"
		rows = append(rows, whole("pm.probes", "words", 3, 1, 1024, "that a look for messages reads, whatever the number of ranks", "chosen, as the library polls the rings that were active last, a shared one, and an idle one in turn"))
		rows = append(rows, l.remote(1)...)
	case l.hardware:
		rows = append(rows, l.remote(0)...)
	case !l.ring:
		rows = append(rows, param.Parameter{Name: "pm.throttle", Choices: throttles(), Value: throttleAll, About: "whose last ack a PUSH waits for", Source: "pm-messaging 1.4.9: global as measured, off without the fault of the switch"})
		rows = append(rows, l.remote(0)...)
	}
	return rows
}

// remote returns the rows of layers that can move long messages without a copy.
func (l layer) remote(on float64) []param.Parameter {
	source := "pm-messaging 1.4.9: off in normal operation"
	if on != 0 {
		source = "chosen, because it saves two copies"
	}
	return []param.Parameter{
		{Name: "pm.rma", Choices: []string{"off", "on"}, Value: on, About: "whether long messages go by remote memory access", Source: source},
		{Name: "pm.eager", Unit: "bytes", Value: 16 << 10, Least: 64, Most: 1 << 20, Whole: true, About: "longest message sent at once where pm.rma is on", Source: "pm-messaging 1.8"},
	}
}

// Values that the layers fix (pm-messaging, sections 1.4.2, 1.4.3, 1.5.4).
const (
	frame    = 8           // bytes of header and trailer
	slot     = stepped.MTU // a message begins at a slot
	mostSlot = 4           // maximum for one message
	line     = 32          // bytes of a line of the host's cache: header and trailer of a longer message are in different lines
	pageSize = 4096
)

// set is a table in the form that a layer uses.
type set struct {
	layer
	envelope, ring, windows int
	probes                  int // 0: all rings are polled
	throttle                int
	rma                     bool
	eager                   int
}

func (l layer) resolve(t *param.Table) set {
	has := map[string]bool{}
	for _, p := range t.All() {
		has[p.Name] = true
	}
	s := set{layer: l, envelope: t.Int("pm.envelope"), ring: t.Int("pm.ring") &^ (pageSize - 1), windows: t.Int("pm.windows")}
	if has["pm.probes"] {
		s.probes = t.Int("pm.probes")
	}
	if has["pm.throttle"] {
		s.throttle = t.Int("pm.throttle")
	}
	if has["pm.rma"] {
		s.rma, s.eager = t.Int("pm.rma") == 1, t.Int("pm.eager")
	}
	return s
}

// most returns the longest message of the layer, without frame.
func (s *set) most() int {
	if s.layer.ring {
		return slot - frame
	}
	return mostSlot*slot - frame
}

// words returns the number of words that a poll for messages reads.
func (s *set) words(ranks int) int {
	switch {
	case s.layer.ring:
		return 1
	case s.probes > 0:
		return max(1, min(s.probes, ranks-1))
	}
	return max(1, ranks-1)
}
