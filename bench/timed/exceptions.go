package timed

import (
	"rhinet/nicemu/martini/stepped"
	"rhinet/nicemu/martini/timed"
)

// A pattern is one line of the table of E6: the flows between three nodes, their sources, and how many of
// them, from the first on, count.
type pattern func(l *lab, bytes int) (from []int, flows []*flow, counting int)

func (p pattern) measure(l *lab, bytes int) (point, error) {
	if err := l.build("one:3", timed.Options{Area: 2 * bytes, Source: bytes}); err != nil {
		return point{}, err
	}
	from, flows, counting := p(l, bytes)
	return l.flows(counting, from, flows)
}

// pattern1: node 1 sends to node 0.
func pattern1(l *lab, bytes int) ([]int, []*flow, int) {
	return []int{1}, []*flow{l.newFlow(timed.Push, 0, bytes, 0, 1)}, 1
}

// pattern2: one node sends to the two others alternately.
func pattern2(l *lab, bytes int) ([]int, []*flow, int) {
	f := l.newFlow(timed.Push, 1, bytes, 0, 1)
	f.to = func(number int) int { return 1 + number%2 }
	return []int{0}, []*flow{f}, 1
}

// pattern3: nodes 0 and 2 send to node 1 at the same time.
func pattern3(l *lab, bytes int) ([]int, []*flow, int) {
	return []int{0, 2}, []*flow{l.newFlow(timed.Push, 1, bytes, 0, 1), l.newFlow(timed.Push, 1, bytes, bytes, 1)}, 2
}

// pattern4: as pattern 1, while each packet that node 2 sends to node 1 raises
// an exception in state RVA of node 1's RFend and is dropped by its firmware.
func pattern4(l *lab, bytes int) ([]int, []*flow, int) {
	from, flows, counting := pattern1(l, bytes)
	l.sys.Machine().Handle(1, stepped.RFend, stepped.RVA, func(f *stepped.Firmware) bool {
		f.Drop()
		return true
	})
	return append(from, 2), append(flows, l.newFlow(timed.Nowhere, 1, bytes, 0, 1)), counting
}

// pattern5: as pattern 3, while each PUSH that node 1 requests fails in state
// IPA2 of its Initiator and is cancelled by its firmware.
func pattern5(l *lab, bytes int) ([]int, []*flow, int) {
	from, flows, counting := pattern3(l, bytes)
	return append(from, 1), append(flows, l.newFlow(timed.Unpinned, 0, bytes, 0, 1)), counting
}

// pattern5Loop: as pattern 5, but firmware writes IDLE without cancelling, so that the Initiator fails at
// its first request for ever.
func pattern5Loop(l *lab, bytes int) ([]int, []*flow, int) {
	l.sys.Machine().Handle(1, stepped.Initiator, stepped.IPA2, func(f *stepped.Firmware) bool {
		f.Spend(stepped.Handling)
		f.Resume(stepped.Initiator, stepped.IDLE)
		return true
	})
	return pattern5(l, bytes)
}
