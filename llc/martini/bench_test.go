package martini

import (
	"testing"

	"rhinet/llc/ir"
	"rhinet/nicemu/martini"
)

// BenchmarkPacket measures what the NIC and its translator add to a small message when no line has to travel:
// one Post and the two Polls that take and consume.
func BenchmarkPacket(b *testing.B) {
	all := open(b, 2, martini.Options{})
	all[1].Post(&ir.Command{Op: ir.Watch, Peer: 0})
	cmd := ir.Command{Op: ir.Packet, Peer: 1, Header: ir.Header{Kind: 1}, Data: make([]byte, 8)}
	var ev ir.Event
	b.ReportAllocs()
	for b.Loop() {
		all[0].Post(&cmd)
		cmd.Slot++
		if !all[1].Poll(&ev) {
			b.Fatal("no packet")
		}
	}
}

// BenchmarkFlag measures the same for one flag of a flag array.
func BenchmarkFlag(b *testing.B) {
	all := open(b, 2, martini.Options{})
	from, to := all[0].(ir.FlagArray), all[1].(ir.FlagArray)
	data := make([]byte, 8)
	seq := uint32(0)
	for b.Loop() {
		seq++
		from.Raise([]int{1}, 0, seq|1, 0, data)
		if _, ok := to.Raised(0, 0, seq|1, data); !ok {
			b.Fatal("no flag")
		}
	}
}

// BenchmarkRegistration measures Expose, an empty Pull, and Conceal.
func BenchmarkRegistration(b *testing.B) {
	all := open(b, 2, martini.Options{})
	expose := ir.Command{Op: ir.Expose, Peer: 1, Data: make([]byte, 1<<20)}
	pull := ir.Command{Op: ir.Pull, Peer: 1, Data: make([]byte, 8)}
	conceal := ir.Command{Op: ir.Conceal}
	var ev ir.Event
	for b.Loop() {
		all[1].Post(&expose)
		all[1].Poll(&ev)
		pull.Segment, conceal.Segment = ev.Segment, ev.Segment
		all[0].Post(&pull)
		all[0].Poll(&ev)
		all[1].Post(&conceal)
	}
	if ev.Kind != ir.Pulled {
		b.Fatal(ev.Err)
	}
}
