package port

import (
	"sync"
	"testing"

	"rhinet/llc"
	"rhinet/llc/ir"
	"rhinet/llc/nictest"
)

// A receive or a probe that waits is reported with the messages that it does not take: those of the peer that it
// names, or else of any, also when they come while it sleeps. A send, a collective call and an internal wait are not.
func TestUnmatchedMessagesAreReported(t *testing.T) {
	nics := nictest.Loopback(3, nictest.DefaultCaps())
	rep := &reporter{Translator: nics[0]}
	ps := openNICs(t, []ir.Translator{rep, nics[1], nics[2]})
	reported := func(want ir.Waiting) {
		t.Helper()
		eventually(t, want.Call+" is reported", func() bool { w, _, _ := rep.last(); return w == want })
	}
	send(t, ps[2], 6, 0, 5, nil)
	send(t, ps[2], 8, 0, 5, nil)
	var wg sync.WaitGroup
	wg.Go(func() { ps[0].Recv(6, 1, 7, nil) })
	want := ir.Waiting{Call: "Recv", Peer: 1, Tag: 7, Context: 6, Unmatched: ir.Unmatched{Messages: 1, First: 2, MessagesTag: 5}}
	reported(want)
	send(t, ps[1], 6, 0, 8, nil)
	want.Unmatched = ir.Unmatched{Messages: 1, First: 1, MessagesTag: 8}
	reported(want)
	send(t, ps[1], 6, 0, 9, nil)
	want.Messages = 2
	reported(want)
	send(t, ps[1], 6, 0, 7, nil)
	wg.Wait()

	wg.Go(func() { ps[0].ProbeUntil("Probe", 6, llc.AnyPeer, 7, nil) })
	reported(ir.Waiting{Call: "Probe", Peer: llc.AnyPeer, Tag: 7, Bytes: ir.NoBytes, Context: 6, Unmatched: ir.Unmatched{Messages: 3, First: 2, MessagesTag: 5}})
	send(t, ps[1], 6, 0, 7, nil)
	wg.Wait()

	// One that it would take on another communicator comes first; those of the runtime do not count.
	wg.Go(func() { ps[0].Recv(6, 2, 5, nil) })
	wg.Wait()
	send(t, ps[2], 10, 0, 70, nil)
	send(t, ps[2], 12, 0, 71, nil)
	ps[0].Show(6)
	ps[0].Show(12)
	wg.Go(func() { ps[0].Recv(6, 2, 70, nil) })
	want = ir.Waiting{Call: "Recv", Peer: 2, Tag: 70, Context: 6, Unmatched: ir.Unmatched{Messages: 3, First: 1, MessagesTag: 8}}
	reported(want)
	send(t, ps[2], 6, 0, 70, nil)
	wg.Wait()
	for peer, tag := range map[int]int{2: 71, llc.AnyPeer: 71} {
		wg.Go(func() { ps[0].Recv(6, peer, tag, nil) })
		reported(ir.Waiting{Call: "Recv", Peer: peer, Tag: tag, Context: 6, Unmatched: ir.Unmatched{Messages: 1, First: 2, MessagesTag: 71, Elsewhere: true}})
		send(t, ps[2], 6, 0, 71, nil)
		wg.Wait()
	}
	ps[0].Open(12, 0, 0) // it may belong to the runtime now
	wg.Go(func() { ps[0].Recv(6, 2, 71, nil) })
	want.Tag = 71
	reported(want)
	send(t, ps[2], 6, 0, 71, nil)
	wg.Wait()

	for label, want := range map[string]ir.Waiting{
		"Start a window": {Call: "Start", Note: "a window", Peer: 1, Tag: ir.NoTag, Context: 6},
		"Lock ":          {Call: "Lock", Peer: 1, Tag: ir.NoTag, Context: 6},
	} {
		r := &llc.Request{Peer: 1, Context: 6, Tag: 3, Label: label}
		ps[0].Start(r, false)
		wg.Go(func() { ps[0].Wait(r) })
		reported(want)
		send(t, ps[1], 6, 0, 3, nil)
		wg.Wait()
	}
	name := "world"
	for call, want := range map[string]ir.Waiting{
		"Barrier": {Call: "Barrier", Note: "world", Peer: ir.NoPeer, Tag: ir.NoTag, Bytes: ir.NoBytes, Collective: ir.Collective{Team: 3, Named: true}},
		"Lock it": {Call: "Lock", Note: "it", Peer: ir.NoPeer, Tag: ir.NoTag, Bytes: ir.NoBytes, Collective: ir.Collective{Team: 3}},
	} {
		wg.Go(func() {
			ps[0].AwaitCollective(call, &ir.Collective{Team: 3, Comm: &name}, nil, func() bool { _, ok := ps[0].eng.Probe(6, 1, 3); return ok })
		})
		reported(want)
		send(t, ps[1], 6, 0, 3, nil)
		wg.Wait()
		ps[0].Recv(6, 1, 3, nil)
	}
	wg.Go(func() { ps[0].Send(6, 1, 7, llc.Synchronous, nil) })
	reported(ir.Waiting{Call: "Ssend", Peer: 1, Tag: 7, Context: 6})
	ps[1].Recv(6, 0, 7, nil)
	wg.Wait()
}
