package timed

import (
	"testing"

	"rhinet/nicemu/vtime"
)

// TestAccesses: commands, packets and bytes of each method follow from the formats, and a pattern
// saves time.
func TestAccesses(t *testing.T) {
	m, err := New(Parameters())
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]Cost{}
	const n = 100 // 800 bytes
	if err := m.Accesses(n, func(way string, c Cost) { got[way] = c }); err != nil {
		t.Fatal(err)
	}
	for way, want := range map[string]Cost{
		"put, one by one":          {Commands: n, Packets: n, Bytes: n * (16 + 8)},
		"put, packed and unpacked": {Commands: 4, Packets: 2, Bytes: n*8 + 2*16},
		"put by a list":            {Commands: 3, Packets: 3, Bytes: n*(8+4) + 3*24},
		"put by a stride":          {Commands: 2, Packets: 2, Bytes: n*8 + 2*(24+8)},
		"get, one by one":          {Commands: n, Packets: 2 * n, Bytes: n * (24 + 16 + 8)},
		"get by a list":            {Commands: 2, Packets: 4, Bytes: n*(8+4) + 2*(24+16)},
		"get by a stride":          {Commands: 2, Packets: 4, Bytes: n*8 + 2*(24+8+16)},
	} {
		c := got[way]
		if want.Time = c.Time; c != want || c.Time <= 0 {
			t.Errorf("%s: %+v, want %+v", way, c, want)
		}
	}
	for _, faster := range [][2]string{
		{"put by a stride", "put by a list"}, {"put by a list", "put, one by one"}, {"put by a stride", "put, packed and unpacked"},
		{"get by a stride", "get by a list"}, {"get by a list", "get, one by one"},
	} {
		if got[faster[0]].Time >= got[faster[1]].Time {
			t.Errorf("%s takes %v, %s %v", faster[0], got[faster[0]].Time, faster[1], got[faster[1]].Time)
		}
	}
}

// TestOneElement: a single element takes the times of the components of sections 7.3 and 8.2 and of
// the host, without a status.
func TestOneElement(t *testing.T) {
	m, err := New(Parameters())
	if err != nil {
		t.Fatal(err)
	}
	c, err := m.Put(0, 1)
	// 201 + 81 the host, 10 + 90 the Window Controller, 188 and 312 the switch interfaces; of the
	// 13 clocks, those for the status and the write right are missing, and row and column of
	// SO-DIMM take two clocks each.
	const want = (201 + 81 + 10 + 90 + 188 + 312 + 100) * vtime.Nanosecond
	if err != nil || c.Time != want {
		t.Errorf("%v, want %v, %v", c.Time, want, err)
	}
}
