package sim

import (
	"strings"
	"testing"

	"rhinet/llc/ir"
)

// TestNetNoticesWrongCommands posts what no correct engine posts.
func TestNetNoticesWrongCommands(t *testing.T) {
	small := ir.Header{Kind: 1}
	for want, cmds := range map[string][]ir.Command{
		"conceals segment 1":            {{Op: ir.Conceal, Segment: 1}},
		"gave operation 0":              {{}},
		"swaps word 2 of 2":             {{Op: ir.Swap, Peer: 1, Offset: 2}},
		"names ring 5":                  {{Op: ir.Packet, Peer: 1, Ring: 5, Header: small}},
		"moves 1 bytes at 0":            {{Op: ir.Pull, Peer: 1, Segment: 1, Data: []byte{1}}},
		"not line 0":                    {{Op: ir.Packet, Peer: 1, Slot: 1, Header: small}},
		"overruns the lines":            {line(0), line(1), line(2)},
		"not at 0":                      {{Op: ir.Packet, Peer: 1, Pos: 64, Header: long, Data: make([]byte, 120)}},
		"overruns the data":             {large(0), large(1)},
		"bytes into the shared ring":    {{Op: ir.Shared, Peer: 1, Header: ir.Header{Kind: 1, Length: 3000}, Data: make([]byte, 3000)}},
		"header says 0 bytes":           {{Op: ir.Shared, Peer: 1, Header: small, Data: []byte{1}}},
		"watches ring 7":                {{Op: ir.Watch, Peer: 1, Ring: 7}},
		"watches ring 0 twice":          {{Op: ir.Watch, Peer: 1}, {Op: ir.Watch, Peer: 1}},
		"watches ring 0 for 2":          {{Op: ir.Packet, Peer: 0, Header: small}, {Op: ir.Watch, Peer: 2}},
		"peers 0 and 1 both use ring 0": {{Op: ir.Packet, Peer: 2, Header: small}},
	} {
		n := NewNet(3, ir.Caps{Rings: 2, Slots: 2, Bytes: 128, Words: 2, Remote: true}, 4, nil)
		if strings.HasPrefix(want, "peers") {
			n.Post(1, &ir.Command{Op: ir.Packet, Peer: 2, Header: small})
		}
		for i := range cmds {
			if len(n.Broken) > 0 {
				t.Fatalf("%q: %v too soon", want, n.Broken)
			}
			n.Post(0, &cmds[i])
		}
		if len(n.Broken) == 0 || !strings.Contains(n.Broken[0], want) {
			t.Errorf("want %q, got %v", want, n.Broken)
		}
	}
}

var long = ir.Header{Kind: 1, Length: 120}

func line(slot uint64) ir.Command {
	return ir.Command{Op: ir.Packet, Peer: 1, Slot: slot, Header: ir.Header{Kind: 1}}
}

func large(slot uint64) ir.Command {
	return ir.Command{Op: ir.Packet, Peer: 1, Slot: slot, Pos: 128 * slot, Header: long, Data: make([]byte, 120)}
}
