package sync

import (
	"bytes"
	"errors"
	"testing"

	"rhinet/internal/ring"
	"rhinet/llc/endpoint/endpointtest"
	"rhinet/llc/ir"
	"rhinet/llc/mailbox"
	"rhinet/nicemu/fabric"
	"rhinet/nicemu/sync"
	"rhinet/nicemu/syncctl"
)

// TestNoHostMemory: the controller reaches no memory of the host, says so, and names another way.
func TestNoHostMemory(t *testing.T) {
	_, all := open(t, 2)
	if c := all[0].Caps(); c.Rings == 0 {
		t.Errorf("%+v", c)
	}
	endpointtest.NoHostMemory(t, all[0])
}

// TestForgedEvents: an event that no correct translator sends, or that was overwritten, ends its sender and
// no other peer.
func TestForgedEvents(t *testing.T) {
	head := [3]uint64{1 << 32, 2 << 32, 3}
	due := uint16(new(mailbox.Out).Next(1) - mailbox.Counter(1))
	changed := func(change func(p *syncctl.Packet)) syncctl.Packet {
		p := event(0, headBytes+8, due)
		p.Status = check(&p, &head, 0)
		change(&p)
		return p
	}
	sealed := func(change func(p *syncctl.Packet)) syncctl.Packet {
		return changed(func(p *syncctl.Packet) { change(p); p.Status = check(p, &head, 0) })
	}
	for name, p := range map[string]syncctl.Packet{
		"nothing":             {},
		"another control":     sealed(func(p *syncctl.Packet) { p.Control++ }),
		"a synchronization":   sealed(func(p *syncctl.Packet) { p.Kind = syncctl.NCLAcquire }),
		"a sync_ID":           sealed(func(p *syncctl.Packet) { p.ID = 1 }),
		"another level":       sealed(func(p *syncctl.Packet) { p.IntLevel = 2 }),
		"less than a header":  sealed(func(p *syncctl.Packet) { p.Data2 = headBytes - 1 }),
		"more than a slot":    sealed(func(p *syncctl.Packet) { p.Data2 = mailbox.SlotBytes + 1 }),
		"a later slot":        sealed(func(p *syncctl.Packet) { p.Address += mailbox.SlotBytes }),
		"a place in the slot": sealed(func(p *syncctl.Packet) { p.Address += 8 }),
		"another length":      changed(func(p *syncctl.Packet) { p.Data2++ }),
		"another check":       changed(func(p *syncctl.Packet) { p.Status++ }),
	} {
		_, all := open(t, 3)
		h := &all[1].(*Translator).hardware
		area, err := h.Way(0, sync.Mailbox)
		if err != nil {
			t.Fatal(err)
		}
		var b [headBytes]byte
		packHead(&b, &head)
		if err := area.Put(new(mailbox.Out).Next(1), b[:]); err != nil {
			t.Fatal(err)
		}
		if ok, err := h.SendEvent(&p); !ok || err != nil {
			t.Fatal(ok, err)
		}
		endpointtest.LosesOne(t, name, all, errForged)
	}
	for name, change := range map[string]func(f *fabric.Fabric, l *ring.Line){
		"source":           func(_ *fabric.Fabric, l *ring.Line) { l[0] ^= 1 << 48 },
		"destination half": func(_ *fabric.Fabric, l *ring.Line) { l[1] ^= 1 << 33 },
		"last word":        func(_ *fabric.Fabric, l *ring.Line) { l[2] ^= 1 << 50 },
		"header in the mailbox": func(f *fabric.Fabric, _ *ring.Line) {
			b := f.Bytes(0, fabric.Public)
			b[len(b)-mailbox.Bytes(3)+int(new(mailbox.Out).Next(1))+9] ^= 1
		},
	} {
		f, all := open(t, 3)
		all[1].Post(endpointtest.Packet(ir.Shared, 0, make([]byte, 60)))
		change(f, endpointtest.FirstLine(f))
		endpointtest.LosesOne(t, name, all, errForged)
	}
	f, all := open(t, 3) // an older event and its packet in place of newer ones
	for range mailbox.Slots + 1 {
		all[1].Post(endpointtest.Packet(ir.Shared, 0, make([]byte, 60)))
	}
	old := *endpointtest.FirstLine(f)
	for range mailbox.Slots {
		if ev := endpointtest.Next(t, all[0]); ev.Kind != ir.Arrived {
			t.Fatalf("%+v", ev)
		}
	}
	var ev ir.Event
	all[0].Poll(&ev)
	all[1].Poll(&ev) // its Busy
	all[1].Post(endpointtest.Packet(ir.Shared, 0, make([]byte, 60)))
	lines := f.Lines(0, fabric.Shared)
	at := len(lines) - f.Geometry().Shared.Lines + mailbox.Slots
	lines[at][0] = lines[at][0]&(1<<32-1) | old[0]>>32<<32
	lines[at][1], lines[at][2] = old[1], old[2]
	endpointtest.LosesOne(t, "an older event", all, errForged)
}

// TestPacketsOfAllSizes: packets before there is a ring come through the mailbox, in order, with their
// headers.
func TestPacketsOfAllSizes(t *testing.T) {
	_, all := open(t, 2)
	for size := range ir.MaxShared + 9 {
		if size > 300 && size < ir.MaxShared-3 {
			continue
		}
		data := bytes.Repeat([]byte{byte(size)}, size)
		cmd := endpointtest.Packet(ir.Shared, 0, data)
		cmd.Header = ir.Header{Kind: 200, Flags: 100, Context: 60000, Tag: int32(size) - 100, Word: uint64(size) << 40}
		all[1].Post(cmd)
		ev := endpointtest.Next(t, all[0])
		want := cmd.Header
		want.Length = uint32(size)
		if ev.Kind != ir.Arrived || ev.Ring != ir.NoRing || !bytes.Equal(ev.Data, data) || ev.Header != want {
			t.Fatalf("%d bytes: %+v, want %+v", size, ev, want)
		}
	}
}

// TestBrokenQueue: a rank that finds an impossible event queue gives up its owner.
func TestBrokenQueue(t *testing.T) {
	f, all := open(t, 2)
	f.Words(0, fabric.Shared)[0] = 1 << 40
	all[1].Post(endpointtest.Packet(ir.Shared, 0, nil))
	if ev := endpointtest.Next(t, all[1]); !endpointtest.IsEnd(&ev, 0) || !errors.Is(ev.Err, sync.QueueBroken) {
		t.Errorf("%+v", ev)
	}
}

// TestFullQueueIsBusy: if others have filled the event queue, a packet waits, and comes later.
func TestFullQueueIsBusy(t *testing.T) {
	_, all := open(t, 3)
	h := &all[2].(*Translator).hardware
	for ok := true; ok; {
		ok, _ = h.SendEvent(&syncctl.Packet{})
	}
	for range mailbox.Slots + 1 {
		all[1].Post(endpointtest.Packet(ir.Shared, 0, make([]byte, 100)))
		if ev := endpointtest.Next(t, all[1]); ev.Kind != ir.Busy {
			t.Errorf("%+v", ev)
		}
	}
	for range 2 { // the end of rank 2, and nothing more
		var ev ir.Event
		all[0].Poll(&ev)
	}
	all[1].Post(endpointtest.Packet(ir.Shared, 0, []byte("later")))
	if ev := endpointtest.Next(t, all[0]); ev.Kind != ir.Arrived || ev.Peer != 1 || string(ev.Data) != "later" {
		t.Errorf("%+v", ev)
	}
}

// TestLyingReader: a counter of more than was sent frees no slot.
func TestLyingReader(t *testing.T) {
	f, all := open(t, 2)
	counter := &f.Words(0, fabric.Public)[(len(f.Bytes(0, fabric.Public))-mailbox.Bytes(2)+int(mailbox.Counter(1)))/8]
	for _, lie := range []uint64{1 << 63, mailbox.Slots + 1} {
		*counter = lie
		for range mailbox.Slots + 1 {
			all[1].Post(endpointtest.Packet(ir.Shared, 0, make([]byte, 1000)))
		}
		if ev := endpointtest.Next(t, all[1]); ev.Kind != ir.Busy {
			t.Errorf("%d: %+v", lie, ev)
		}
	}
}

// TestNoWay: a way that leads nowhere is an error.
func TestNoWay(t *testing.T) {
	_, all := open(t, 2)
	h := &all[1].(*Translator).hardware
	s, err := h.Sender(0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Send(new([3]uint64), make([]byte, mailbox.SlotBytes)); !errors.Is(err, sync.Outside) {
		t.Error(err)
	}
	w, err := h.Writer(0, 0)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Put(0, 0, new([3]uint64), make([]byte, h.f.Geometry().Ring.Bytes+1)); err == nil {
		t.Error("too long for its ring")
	}
	if _, err := h.Writer(0, h.f.Geometry().Rings); !errors.Is(err, sync.Outside) {
		t.Error(err)
	}
	if _, err := h.Writer(2, 0); !errors.Is(err, sync.NoNode) {
		t.Error(err)
	}
	if _, err := h.Sender(2); !errors.Is(err, sync.NoNode) {
		t.Error(err)
	}
}

// TestOtherJob: a node that the manager moves to another job cannot be reached: that is its end.
func TestOtherJob(t *testing.T) {
	f, err := fabric.Heap(2, Geometry(fabric.Small(), 2))
	if err != nil {
		t.Fatal(err)
	}
	boss, err := sync.Manage(f)
	if err != nil {
		t.Fatal(err)
	}
	for _, op := range []ir.Op{ir.Packet, ir.Shared} {
		boss.Join(0, f.Job())
		tr, err := Open(f, 1)
		if err != nil {
			t.Fatal(err)
		}
		tr.Post(endpointtest.Packet(op, 0, make([]byte, 100)))
		boss.Join(0, f.Job()+1)
		tr.Post(endpointtest.Packet(op, 0, make([]byte, 100)))
		if ev := endpointtest.Next(t, tr); !endpointtest.IsEnd(&ev, 0) || !errors.Is(ev.Err, sync.WrongJob) {
			t.Errorf("%v: %+v", op, ev)
		}
		_ = tr.Close()
	}
}

// TestAudit: what was overwritten before it was seen is found, and ends the use of its writer, or of all.
func TestAudit(t *testing.T) {
	job := func() (*fabric.Fabric, []ir.Translator) { return open(t, 3) }
	endpointtest.Audits(t, job, map[string]endpointtest.Harm{
		"packet": {Do: func(f *fabric.Fabric) { f.Words(0, fabric.Rings)[0] = 0 }, Lost: []int32{1}},
		"tail":   {Do: func(f *fabric.Fabric) { f.Words(0, fabric.Rings)[f.Geometry().Ring.Counters()/8] = 9 }, Lost: []int32{1}},
		"event":  {Do: func(f *fabric.Fabric) { endpointtest.FirstLine(f)[0] = 0 }, Lost: []int32{1, 2}},
	})
}

// TestRefusedCode: a code that the NIC refuses ends the use of all others, because its tables are damaged. An
// impossible sequence is an error.
func TestRefusedCode(t *testing.T) {
	_, all := open(t, 3)
	c, err := all[0].(*Translator).Sequence(0, []int{2, 1}, 1)
	if err != nil {
		t.Fatal(err)
	}
	c.Code(0)
	c.Code(0)
	for range 2 {
		if ev := endpointtest.Next(t, all[0]); !endpointtest.IsEnd(&ev, ev.Peer) || !errors.Is(ev.Err, sync.Waiting) {
			t.Errorf("%+v", ev)
		}
	}
	if _, err := all[0].(*Translator).Sequence(sync.Sequences, []int{1}, 1); !errors.Is(err, sync.NoSequence) {
		t.Error(err)
	}
}

// TestPacketsAllocateNothing: codes do not allocate either.
func TestPacketsAllocateNothing(t *testing.T) {
	_, all := open(t, 2)
	codes := make([]ir.Codes, 2)
	for i := range codes {
		var err error
		if codes[i], err = all[i].(*Translator).Sequence(0, []int{1 - i}, 1); err != nil {
			t.Fatal(err)
		}
	}
	var ev ir.Event
	packet, tail := endpointtest.Packet(ir.Shared, 1, make([]byte, 1000)), &ir.Command{Op: ir.ReadTail, Peer: 1}
	if used := testing.AllocsPerRun(100, func() {
		all[0].Post(packet)
		all[0].Post(tail)
		for all[0].Poll(&ev) || all[1].Poll(&ev) {
			if ev.Kind == ir.Failed {
				t.Fatal(ev.Err)
			}
		}
		for _, c := range codes {
			c.Code(7)
		}
		for i, c := range codes {
			if mark, ok := c.Mark(1 - i); !c.Go() || c.Next() > 2 && (!ok || mark != 7) {
				t.Fatal("no PE Go, or another mark", c.Next(), mark, ok)
			}
		}
	}); used != 0 {
		t.Errorf("%v allocations", used)
	}
}
