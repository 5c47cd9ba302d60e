package nictest

import (
	"slices"
	"strings"
	"testing"
	"time"

	"rhinet/llc/contract"
	"rhinet/llc/ir"
)

// Run tests the translators that open makes: peers translators of one network, all in this process, given in
// the order of their numbers. Each test opens a network of its own and closes its translators. Operations on
// remote memory and on the control area are tested if the Caps promise them, flag arrays if the translators
// are an [ir.FlagArray], packet rings if there are any. Besides what each test looks for, package contract
// checks all of them.
func Run(t *testing.T, open func(t testing.TB, peers int) []ir.Translator) {
	for _, c := range suite() {
		t.Run(c.name, func(t *testing.T) { c.run(t, open, patience, func(err error) { t.Error(err) }) })
	}
}

// A trial is one test of the suite.
type trial struct {
	name  string
	peers int
	test  func(*rig)
}

// run runs a trial. wait is the time for what must come; report is called for breaches of the contract.
func (c *trial) run(t testing.TB, open func(t testing.TB, peers int) []ir.Translator, wait time.Duration, report func(error)) {
	ts := open(t, c.peers)
	if !strings.HasSuffix(c.name, "allocations") {
		ts = contract.WatchAll(ts, report)
	}
	r := newRig(t, ts)
	r.wait = wait
	c.test(r)
	for i, tr := range ts {
		if r.closed[i] {
			continue
		}
		if err := tr.Close(); err != nil {
			t.Errorf("peer %d: Close: %v", i, err)
		}
	}
}

func suite() []trial {
	return []trial{
		{"caps", 3, testCaps},
		{"packet/sizes", 2, testPacketSizes},
		{"packet/laps", 2, testPacketLaps},
		{"packet/before watch", 2, testBeforeWatch},
		{"packet/many peers", 6, testManyPeers},
		{"tail", 2, testTail},
		{"shared", 3, testShared},
		{"busy", 3, testBusy},
		{"busy/before answers", 3, testBusyFirst},
		{"order across rings", 2, testBothRings},
		{"pull and push", 3, testMove},
		{"lend", 2, testLend},
		{"ports", 2, testPorts},
		{"blocks", 2, testBlocks},
		{"blocks/refusals", 2, testBlocksRefused},
		{"refusals", 2, testRefusals},
		{"swap", 3, testSwap},
		{"express", 2, testExpress},
		{"express/poll others", 4, testPollOthers},
		{"express/advance", 2, testAdvance},
		{"express/consumed", 2, testConsumed},
		{"express/sleep", 2, testExpressWakes},
		{"express/end", 2, testExpressEnd},
		{"express/allocations", 2, testExpressAllocations},
		{"flag array", 3, testFlagArray},
		{"controller", 3, testController},
		{"atomics", 3, testAtomics},
		{"locks", 3, testLocks},
		{"vectors", 3, testVectors},
		{"sleep", 2, testSleep},
		{"sleep/many rings", 9, testSleepColdRing},
		{"settled", 2, testSettled},
		{"end", 3, testBrokenWay},
		{"end/more is due", 3, testEndWhileMoreIsDue},
		{"end/nothing after it", 3, testNothingAfterTheEnd},
		{"end/closed", 3, testClosed},
		{"conceal", 2, testConcealRefused},
		{"hint", 3, testHint},
		{"allocations", 2, testAllocations},
		{"concurrent", 4, testConcurrent},
	}
}

func testCaps(r *rig) {
	nics := r.nics(0)
	for i := range r.ts {
		if its := r.nics(i); !slices.Equal(its, nics) {
			r.Errorf("peer %d has other capabilities than peer 0: %+v, %+v", i, its, nics)
		}
	}
	for _, c := range nics {
		r.checkCaps(c)
	}
	r.quiet()
}

// nics returns the Caps of the NICs of a peer.
func (r *rig) nics(at int) []ir.Caps {
	own := r.ts[at].Caps()
	t := ir.AbilitiesOf(r.ts[at]).Router
	if t == nil {
		return []ir.Caps{own}
	}
	all := t.NICs()
	if all[0] != own || t.NIC(at) != 0 {
		r.Errorf("peer %d has the capabilities %+v, and by its first NIC %+v", at, own, all[0])
	}
	for peer := range r.ts {
		if i := t.NIC(peer); uint(i) >= uint(len(all)) || ir.AbilitiesOf(r.ts[peer]).Router.NIC(at) != i || (i == 0) != (t.Host(peer) == t.Host(at)) {
			r.Errorf("peer %d reaches peer %d, on host %d, by NIC %d of %d", at, peer, t.Host(peer), i, len(all))
		}
	}
	return all
}

func (r *rig) checkCaps(c ir.Caps) {
	if c.Name == "" {
		r.Error("no name")
	}
	if c.Rings < 0 {
		r.Errorf("%d packet rings", c.Rings)
	}
	if c.Slots < 2 || c.Slots&(c.Slots-1) != 0 || c.Bytes < 2*ir.LineBytes || c.Bytes&(c.Bytes-1) != 0 {
		r.Errorf("%d lines and %d bytes are not powers of two", c.Slots, c.Bytes)
	}
	if c.Fragment <= ir.Inline || c.Rings > 0 && c.Fragment > c.Bytes/2 {
		r.Errorf("a fragment of %d bytes does not always fit a data area of %d", c.Fragment, c.Bytes)
	}
	if c.Words < 0 || c.Copies < 0 {
		r.Errorf("%d words, %d copies", c.Words, c.Copies)
	}
}
