package cenju4

import (
	"bytes"
	"encoding/binary"
	"errors"
	"slices"
	"testing"

	"rhinet/internal/ring"
	"rhinet/llc/endpoint/endpointtest"
	"rhinet/llc/ir"
	"rhinet/llc/mailbox"
	"rhinet/nicemu/cenju4"
	"rhinet/nicemu/fabric"
)

// message returns the data of a message from rank 1, as its translator makes it.
func message(head [3]uint64, n int, place uint64, rest []byte) []byte {
	var s sender
	s.header(&head, n, place)
	return append(slices.Clone(s.data[:headBytes]), rest...)
}

// TestForgedMessages: a message that no correct translator sends, or that was overwritten, ends its sender
// and no other peer.
func TestForgedMessages(t *testing.T) {
	due := new(mailbox.Out).Next(1)
	place := func(at uint64) []byte { return binary.NativeEndian.AppendUint64(nil, at) }
	head := [3]uint64{1 << 32, 2, 3}
	for name, data := range map[string][]byte{
		"nothing":          nil,
		"half a header":    make([]byte, headBytes-1),
		"no check":         make([]byte, headBytes+8),
		"too short":        message(head, 9, 0, make([]byte, 8)),
		"too long":         message(head, 7, 0, make([]byte, 8)),
		"no place":         message(head, mostShort+1, due, make([]byte, 16)),
		"slot of a peer":   message(head, 1000, new(mailbox.Out).Next(2), place(new(mailbox.Out).Next(2))),
		"later slot":       message(head, 1000, due+mailbox.SlotBytes, place(due+mailbox.SlotBytes)),
		"more than a slot": message(head, mailbox.SlotBytes+1, due, place(due)),
		"other place":      message(head, 1000, due+8, place(due)),
	} {
		_, all := openJob(t, 3, cenju4.Options{})
		p := cenju4.Parcel{Protocol: cenju4.Message0, Length: uint32(len(data)), Words: [3]uint64{uint64(cenju4.LentFor(0))}}
		if err := all[1].(*Translator).hardware.Post(&p, data); err != nil {
			t.Fatal(err)
		}
		endpointtest.LosesOne(t, name, all, errForged)
	}
	f, all := openJob(t, 3, cenju4.Options{}) // an older message in place of a newer one
	for range 2 {
		all[1].Post(endpointtest.Packet(ir.Shared, 0, make([]byte, 60)))
	}
	lines := f.Lines(0, fabric.Shared)
	at := slices.IndexFunc(lines, func(l ring.Line) bool { return l == *endpointtest.FirstLine(f) })
	copy(lines[at+4:at+6], lines[at+1:at+3])
	if ev := endpointtest.Next(t, all[0]); ev.Kind != ir.Arrived || ev.Peer != 1 {
		t.Fatalf("%+v", ev)
	}
	endpointtest.LosesOne(t, "older message", all, errForged)
	for word := range 4 {
		f, all := openJob(t, 3, cenju4.Options{})
		all[1].Post(endpointtest.Packet(ir.Shared, 0, make([]byte, 60)))
		line := endpointtest.FirstLine(f)
		lines := f.Lines(0, fabric.Shared)
		at := slices.IndexFunc(lines, func(l ring.Line) bool { return l == *line }) + 1 // its data begins in the next line
		lines[at][word] ^= 1 << 5
		endpointtest.LosesOne(t, "overwritten", all, errForged)
	}
}

// TestPacketsOfAllSizes: short packets are messages, longer ones come through the mailbox, in order.
func TestPacketsOfAllSizes(t *testing.T) {
	_, all := openJob(t, 2, cenju4.Options{})
	for size := range ir.MaxShared + 1 {
		if size > 300 && size < ir.MaxShared-3 {
			continue
		}
		data := bytes.Repeat([]byte{byte(size)}, size)
		cmd := endpointtest.Packet(ir.Shared, 0, data)
		cmd.Header.Tag, cmd.Header.Word = int32(size), uint64(size)<<40
		all[1].Post(cmd)
		ev := endpointtest.Next(t, all[0])
		if ev.Kind != ir.Arrived || !bytes.Equal(ev.Data, data) || ev.Header.Tag != int32(size) || ev.Header.Word != uint64(size)<<40 || ev.Header.Length != uint32(size) {
			t.Fatalf("%d bytes: %+v", size, ev)
		}
	}
}

// TestBrokenBuffer: a rank that finds an impossible message buffer gives up its owner.
func TestBrokenBuffer(t *testing.T) {
	f, all := openJob(t, 2, cenju4.Options{})
	f.Words(0, fabric.Shared)[0] = 1 << 40
	all[1].Post(endpointtest.Packet(ir.Shared, 0, nil))
	if ev := endpointtest.Next(t, all[1]); !endpointtest.IsEnd(&ev, 0) || !errors.Is(ev.Err, cenju4.BufferBroken) {
		t.Errorf("%+v", ev)
	}
}

// TestFullBufferIsBusy: if others have filled the message buffer, a packet waits, also a long one.
func TestFullBufferIsBusy(t *testing.T) {
	_, all := openJob(t, 3, cenju4.Options{})
	nic := all[2].(*Translator).hardware.NIC
	for nic.Post(&cenju4.Parcel{Protocol: cenju4.Message0, Flags: cenju4.Inline, Length: 8}, nil) == nil {
	}
	for _, size := range []int{5, 1000, 5, 1000, 1000, 1000, 1000} {
		all[1].Post(endpointtest.Packet(ir.Shared, 0, make([]byte, size)))
		if ev := endpointtest.Next(t, all[1]); ev.Kind != ir.Busy {
			t.Errorf("%d bytes: %+v", size, ev)
		}
	}
}

// TestLyingReader: a counter that says more than was sent frees no slot.
func TestLyingReader(t *testing.T) {
	f, all := openJob(t, 2, cenju4.Options{})
	counter := &f.Words(0, fabric.Public)[(len(f.Bytes(0, fabric.Public))-sets*setBytes-mailbox.Bytes(2)+int(mailbox.Counter(1)))/8]
	for _, lie := range []uint64{1 << 63, mailbox.Slots + 1} {
		*counter = lie
		for i := range mailbox.Slots + 1 {
			all[1].Post(endpointtest.Packet(ir.Shared, 0, bytes.Repeat([]byte{byte(i)}, 1000)))
		}
		if ev := endpointtest.Next(t, all[1]); ev.Kind != ir.Busy {
			t.Errorf("%d: %+v", lie, ev)
		}
	}
}

// TestTooLongForAnything: a packet that no slot or ring holds ends the way, not the program.
func TestTooLongForAnything(t *testing.T) {
	_, all := openJob(t, 2, cenju4.Options{})
	h := &all[1].(*Translator).hardware
	s, err := h.Sender(0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Send(new([3]uint64), make([]byte, mailbox.SlotBytes+1)); !errors.Is(err, cenju4.WrongLength) {
		t.Error(err)
	}
	w, err := h.Writer(0, 0)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Put(0, 0, new([3]uint64), make([]byte, h.f.Geometry().Ring.Bytes+1)); err == nil {
		t.Error("too long for its ring")
	}
	if _, err := h.Writer(0, h.f.Geometry().Rings); err == nil {
		t.Error("a ring that there is not")
	}
	if _, err := h.Writer(2, 0); !errors.Is(err, cenju4.BeyondTable) {
		t.Error(err)
	}
	if _, err := h.Sender(2); !errors.Is(err, cenju4.BeyondTable) {
		t.Error(err)
	}
}

// TestAudit: what was overwritten before it was seen is found, and ends the use of its writer, or of all.
func TestAudit(t *testing.T) {
	job := func() (*fabric.Fabric, []ir.Translator) { return openJob(t, 3, cenju4.Options{}) }
	endpointtest.Audits(t, job, map[string]endpointtest.Harm{
		"packet":  {Do: func(f *fabric.Fabric) { f.Words(0, fabric.Rings)[0] = 0 }, Lost: []int32{1}},
		"tail":    {Do: func(f *fabric.Fabric) { f.Words(0, fabric.Rings)[f.Geometry().Ring.Counters()/8] = 9 }, Lost: []int32{1}},
		"message": {Do: func(f *fabric.Fabric) { endpointtest.FirstLine(f)[0] = 0 }, Lost: []int32{1, 2}},
	})
}

// TestMovesDoNotAllocate, nor map anything for good.
func TestMovesDoNotAllocate(t *testing.T) {
	endpointtest.MovesAllocateNothing(t, open(t, 2, cenju4.Options{}), endpointtest.Packet(ir.Shared, 1, make([]byte, 100)), endpointtest.Packet(ir.Shared, 1, make([]byte, 1000)))
}

// TestDeadPeer pretends that peer 1 is a process that has ended.
func TestDeadPeer(t *testing.T) {
	all := mapped(t, 2, cenju4.Options{})
	endpointtest.ReportsTheDead(t, all, func() { all[1].(*Translator).hardware.f.Leave(1) }, cenju4.Gone)
}

// TestOffsetsStayInTheirSegment: no offset in what a peer exposed leads to other memory that it exposed.
func TestOffsetsStayInTheirSegment(t *testing.T) {
	all := open(t, 2, cenju4.Options{})
	var segs [2]ir.Segment
	for i := range segs {
		all[1].Post(&ir.Command{Op: ir.Expose, Data: make([]byte, 100)})
		segs[i] = endpointtest.Next(t, all[1]).Segment
	}
	all[0].Post(&ir.Command{Op: ir.Pull, Peer: 1, Segment: segs[0], Offset: uint64(segs[1] - segs[0]), Data: make([]byte, 8), Token: 1})
	if ev := endpointtest.Next(t, all[0]); ev.Kind != ir.Failed {
		t.Errorf("%+v", ev)
	}
}
