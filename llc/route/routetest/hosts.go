// Package routetest places ranks that are goroutines of one process on hosts, as far as their translators can
// tell.
package routetest

import (
	"sync"

	"rhinet/llc/ir"
	"rhinet/llc/nictest"
	"rhinet/llc/route"
)

// FarCaps returns the Caps of the network between the hosts: its limits differ from those of a NIC within
// one, so that every protocol is used on both.
func FarCaps() ir.Caps {
	c := nictest.DefaultCaps()
	c.Name, c.Rings, c.Words, c.Split, c.SplitUnit, c.Copies = "far", 0, 0, 0, 0, 3
	c.Fragment, c.Eager = 1500, 9000
	return c
}

// Place composes the translators of a job with a loopback network of the given Caps between ranks on
// different hosts; hosts has the host of each rank. If near reports ranks that have ended, so does the
// network.
func Place(near []ir.Translator, far ir.Caps, hosts []int) ([]ir.Translator, error) {
	between := nictest.LoopbackWith(len(near), far, nictest.Hooks{Bells: near, NoFlagArray: true})
	all, dead := make([]ir.Translator, len(near)), &failedRanks{dead: make([]bool, len(near))}
	for i := range all {
		can, network := ir.AbilitiesOf(near[i]), ir.AbilitiesOf(between[i])
		m := &networkDetector{Translator: between[i], dead: dead, told: make([]bool, len(near))}
		if can.FailureDetector != nil {
			can.FailureDetector, network.FailureDetector = &bothDetectors{can.FailureDetector, dead}, m
		}
		var err error
		if all[i], err = route.New(can.Give(near[i]), network.Give(m), hosts); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// failedRanks records which ranks have ended.
type failedRanks struct {
	mu   sync.Mutex
	dead []bool
}

// A bothDetectors marks ranks as failed for both NICs.
type bothDetectors struct {
	ir.FailureDetector
	dead *failedRanks
}

func (s *bothDetectors) MarkFailed(peer int) {
	s.dead.mu.Lock()
	s.dead.dead[peer] = true
	s.dead.mu.Unlock()
	s.FailureDetector.MarkFailed(peer)
}

// A networkDetector is an end of the network that reports ranks that have ended.
type networkDetector struct {
	ir.Translator
	dead *failedRanks
	told []bool
	news []ir.Event
}

func (m *networkDetector) MarkFailed(int) {} // bothDetectors does

func (m *networkDetector) DetectFailures() (any bool) {
	m.dead.mu.Lock()
	defer m.dead.mu.Unlock()
	for peer, dead := range m.dead.dead {
		if dead && !m.told[peer] && peer != m.Self() {
			m.told[peer], any = true, true
			m.news = append(m.news, ir.Event{Kind: ir.Failed, Peer: int32(peer), Err: ir.ErrPeerGone})
		}
	}
	return any
}

// Poll gives nothing from ranks that have ended.
func (m *networkDetector) Poll(ev *ir.Event) bool {
	for {
		if len(m.news) > 0 {
			*ev, m.news = m.news[0], m.news[1:]
			return true
		}
		if !m.Translator.Poll(ev) {
			return false
		}
		end := ev.Kind == ir.Failed && ev.Token == 0
		if ev.Kind != ir.Arrived && !end || !m.told[ev.Peer] {
			m.told[ev.Peer] = m.told[ev.Peer] || end // then DetectFailures need not report it again
			return true
		}
	}
}
