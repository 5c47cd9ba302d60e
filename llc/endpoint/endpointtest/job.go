// Package endpointtest is what the tests of all translators of emulated NICs need: the events that a rank
// receives, and the commands that it posts. Jobs are those of rhinet/nicemu/fabric/fabrictest.
package endpointtest

import (
	"errors"
	"testing"

	"rhinet/llc/ir"
	"rhinet/nicemu/fabric"
)

// An Opener connects a rank to its NIC in the memory of a job.
type Opener func(f *fabric.Fabric, rank int) (ir.Translator, error)

// Next returns the next event of a rank, which must come within 1,000 Polls.
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

// Audit has a rank look for damage, and returns the peers that it loses.
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

// Packet returns the command that sends data in a packet, by the ring of the receiver that op names.
func Packet(op ir.Op, to int32, data []byte) *ir.Command {
	return &ir.Command{Op: op, Peer: to, Header: ir.Header{Kind: 1}, Data: data}
}
