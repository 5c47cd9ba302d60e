package port

import (
	"sync"
	"sync/atomic"
	"testing"

	"rhinet/llc/ir"
	"rhinet/llc/nictest"
)

// What a holder adds to a report is behind the note of the wait, and follows it while it changes.
func TestReportsFollowTheHolder(t *testing.T) {
	nics := nictest.Loopback(2, nictest.DefaultCaps())
	rep := &reporter{Translator: nics[0]}
	ps := openNICs(t, []ir.Translator{rep, nics[1]})
	type stage struct {
		holder ir.Holder
		note   string
	}
	for call, stages := range map[string][]stage{
		"Lock target 1": {
			{ir.Holder{Peer: ir.NoPeer, Sharers: 2}, "target 1, 2 ranks share it"},
			{ir.Holder{Peer: ir.NoPeer, Sharers: 1}, "target 1, 1 rank shares it"},
			{ir.Holder{Peer: 1}, "target 1"},
		},
		"Wait": {
			{ir.Holder{Peer: ir.NoPeer, Missing: "no Pready of 3,4"}, "no Pready of 3,4"},
			{ir.Holder{Peer: ir.NoPeer, Missing: "no Pready of 4"}, "no Pready of 4"},
		},
	} {
		var at atomic.Int32
		held := ir.Collective{Holder: new(ir.Holder)}
		var wg sync.WaitGroup
		wg.Go(func() {
			ps[0].AwaitCollective(call, &held, nil, func() bool {
				i := int(at.Load())
				*held.Holder = stages[min(i, len(stages)-1)].holder
				return i == len(stages)
			})
		})
		for _, s := range stages {
			eventually(t, s.note, func() bool {
				w, _, _ := rep.last()
				return w.Note == s.note && w.Peer == s.holder.Peer && w.Tag == ir.NoTag
			})
			at.Add(1)
			ps[1].Wake(0)
		}
		inTime(t, call, wg.Wait)
	}
}
