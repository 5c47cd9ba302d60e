// Package endpointtest is what the tests of all translators of emulated network
// interfaces need: what a rank hears, and what it posts. Jobs are those of rhinet/nicemu/fabric/fabrictest.
package endpointtest

import (
	"errors"
	"testing"

	"rhinet/llc/ir"
	"rhinet/nicemu/fabric"
)

// An Opener connects a rank to its NIC in the memory of a job.
type Opener func(f *fabric.Fabric, rank int) (ir.Translator, error)

// Next returns what a rank hears next, which must come within 1,000 looks.
func Next(t testing.TB, tr ir.Translator) (ev ir.Event) {
	t.Helper()
	for range 1000 {
		if tr.Poll(&ev) {
			return ev
		}
	}
	t.Fatal("no event")
	return ev
}

// IsEnd reports whether ev says that peer has ended.
func IsEnd(ev *ir.Event, peer int32) bool {
	return ev.Kind == ir.Failed && ev.Peer == peer && ev.Token == 0 && errors.Is(ev.Err, ir.ErrPeerGone)
}

// Audit has a rank look for damage, and returns whom it loses.
func Audit(tr ir.Translator) (lost []int32) {
	ir.AbilitiesOf(tr).Auditor.Audit()
	var ev ir.Event
	for tr.Poll(&ev) {
		if IsEnd(&ev, ev.Peer) {
			lost = append(lost, ev.Peer)
		}
	}
	return lost
}

// Packet is the command that sends data in a packet, by the ring of the receiver's that op names.
func Packet(op ir.Op, to int32, data []byte) *ir.Command {
	return &ir.Command{Op: op, Peer: to, Header: ir.Header{Kind: 1}, Data: data}
}
