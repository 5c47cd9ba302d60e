package tofu

import (
	"errors"
	"testing"

	"rhinet/llc/endpoint/endpointtest"
	"rhinet/llc/ir"
	"rhinet/llc/mailbox"
	"rhinet/nicemu/fabric"
	"rhinet/nicemu/tofu"
)

// TestForgedNotices: a notice of anything but the slot that is due, or one that was overwritten, ends its
// writer and no other peer.
func TestForgedNotices(t *testing.T) {
	for name, forge := range map[string]func(f *fabric.Fabric, n *tofu.NIC, due uint64) tofu.Order{
		"other memory": func(_ *fabric.Fabric, _ *tofu.NIC, due uint64) tofu.Order {
			return tofu.Order{Tag: tofu.TagRings, Offset: due}
		},
		"slot of a peer": func(*fabric.Fabric, *tofu.NIC, uint64) tofu.Order {
			return tofu.Order{Tag: tofu.TagBootstrap, Offset: new(mailbox.Out).Next(2)}
		},
		"later slot": func(_ *fabric.Fabric, _ *tofu.NIC, due uint64) tofu.Order {
			return tofu.Order{Tag: tofu.TagBootstrap, Offset: due + mailbox.SlotBytes}
		},
		"too long": func(_ *fabric.Fabric, _ *tofu.NIC, due uint64) tofu.Order {
			return tofu.Order{Tag: tofu.TagBootstrap, Offset: due, Local: make([]byte, mailbox.SlotBytes+1)}
		},
	} {
		f, all := openJob(t, 3, Options{})
		nic := all[1].(*Translator).hardware.NIC
		o := forge(f, nic, new(mailbox.Out).Next(1))
		o.Command, o.Notify, o.Immediate = tofu.Put, true, [3]uint64{1 << 32}
		if _, err := nic.Port(0).Post(&o); err != nil {
			t.Fatal(err)
		}
		endpointtest.LosesOne(t, name, all, errForged)
	}
	for word := range 4 {
		f, all := openJob(t, 3, Options{})
		all[1].Post(endpointtest.Packet(ir.Shared, 0, []byte("whole")))
		endpointtest.FirstLine(f)[3+word] ^= 1 << 5
		endpointtest.LosesOne(t, "overwritten", all, errForged)
	}
}

// TestBrokenQueue: a rank that finds an impossible queue of notices gives up its owner.
func TestBrokenQueue(t *testing.T) {
	f, all := openJob(t, 2, Options{})
	f.Words(0, fabric.Shared)[0] = 1 << 40
	all[1].Post(endpointtest.Packet(ir.Shared, 0, nil))
	if ev := endpointtest.Next(t, all[1]); !endpointtest.IsEnd(&ev, 0) || !errors.Is(ev.Err, tofu.QueueBroken) {
		t.Errorf("%+v", ev)
	}
}

// TestFullQueueIsBusy: if others have filled the queue of notices, a packet is refused for now, though its
// slot is free.
func TestFullQueueIsBusy(t *testing.T) {
	_, all := openJob(t, 3, Options{})
	port := all[2].(*Translator).hardware.NIC.Port(0)
	o := tofu.Order{Command: tofu.Put, Tag: tofu.TagBootstrap, Offset: new(mailbox.Out).Next(2), Notify: true}
	for {
		if _, err := port.Post(&o); err != nil {
			break
		}
	}
	all[1].Post(endpointtest.Packet(ir.Shared, 0, []byte("later")))
	if ev := endpointtest.Next(t, all[1]); ev.Kind != ir.Busy {
		t.Errorf("%+v", ev)
	}
}

// TestLyingReader: a counter of more than was sent frees no slot.
func TestLyingReader(t *testing.T) {
	f, all := openJob(t, 2, Options{})
	counter := &f.Words(0, fabric.Public)[(len(f.Bytes(0, fabric.Public))-mailbox.Bytes(2)+int(mailbox.Counter(1)))/8]
	for _, lie := range []uint64{1 << 63, mailbox.Slots + 1} {
		*counter = lie
		for i := range mailbox.Slots + 1 {
			all[1].Post(endpointtest.Packet(ir.Shared, 0, []byte{byte(i)}))
		}
		if ev := endpointtest.Next(t, all[1]); ev.Kind != ir.Busy {
			t.Errorf("%d: %+v", lie, ev)
		}
	}
}

// TestAudit: what was overwritten before it was seen is found, and ends the use of the peers that it
// concerns.
func TestAudit(t *testing.T) {
	job := func() (*fabric.Fabric, []ir.Translator) { return openJob(t, 3, Options{}) }
	endpointtest.Audits(t, job, map[string]endpointtest.Harm{
		"packet": {Do: func(f *fabric.Fabric) { f.Words(0, fabric.Rings)[0] = 0 }, Lost: []int32{1}},
		"tail":   {Do: func(f *fabric.Fabric) { f.Words(0, fabric.Rings)[f.Geometry().Ring.Counters()/8] = 9 }, Lost: []int32{1}},
		"notice": {Do: func(f *fabric.Fabric) { endpointtest.FirstLine(f)[0] = 0 }, Lost: []int32{1, 2}},
	})
}

// TestMovesDoNotAllocate: moves do not leave anything pinned either.
func TestMovesDoNotAllocate(t *testing.T) {
	endpointtest.MovesAllocateNothing(t, open(t, 2, Options{}))
}

// TestDeadPeer pretends that peer 1 is a process that has ended.
func TestDeadPeer(t *testing.T) {
	all := mapped(t, 2, Options{})
	endpointtest.ReportsTheDead(t, all, func() { all[1].(*Translator).hardware.f.Leave(1) }, tofu.Gone)
}
