package mpi

import (
	"context"
	"encoding/binary"
	"slices"
	"testing"

	"rhinet/internal/agreement"
	"rhinet/llc"
)

// A postbox records the notices that are sent, as peer, kind, agreement and low.
type postbox struct {
	instant
	sent [][4]uint32
}

func (t *postbox) Start(r *llc.Request, _ bool) {
	t.sent = append(t.sent, [4]uint32{uint32(r.Peer), binary.LittleEndian.Uint32(r.Buf), binary.LittleEndian.Uint32(r.Buf[8:]), binary.LittleEndian.Uint32(r.Buf[12:])})
}

func (t *postbox) WaitContext(context.Context, *llc.Request) error { return nil }

func (t *postbox) Wake(int) {}

// agreeing returns the agreements of one rank of a world.
func agreeing(t *testing.T, rank, size int) (*failureManager, *core, *postbox) {
	net := &postbox{}
	w := &world{Job: Job{Rank: rank, Size: size, Transport: net}}
	p := &failureManager{w: w, dead: make([]bool, size), agreements: map[contextID]*commAgreements{}, meetings: map[*commFailures]struct{}{}}
	p.ctx, p.stop = context.WithCancel(t.Context())
	t.Cleanup(func() {
		p.stop()
		p.over.Wait()
	})
	w.failures = p
	c := &core{w: w, t: net, rank: rank, size: size, id: worldID}
	p.attach(c)
	return p, c, net
}

// decide has p hear a decision of rank from, which says that all have decided the agreements up to low.
func decide(p *failureManager, from int, seq, low uint32) {
	p.hear(notice{kind: noticeDecision, id: worldID, seq: seq, low: low, from: from, value: agreement.Pack([]agreement.Vote{{Rank: 0, Value: []byte{1}}, {Rank: 1, Value: []byte{2}}, {Rank: 2, Value: []byte{3}}})})
}

// Of several agreements at once, a leader that dies may have told one rank all decisions, and another only the last.
// The next leader still has the first.
func TestDecisionsAreKeptForThoseThatLackThem(t *testing.T) {
	p, c, net := agreeing(t, 1, 3)
	for range 3 {
		p.vote(c, []byte{2})
	}
	for seq := range uint32(3) {
		decide(p, 0, seq+1, 0)
	}
	net.sent = nil
	p.died(0)
	for seq := range uint32(3) {
		if !slices.Contains(net.sent, [4]uint32{2, noticeDecision, seq + 1, 0}) {
			t.Errorf("decision %d is not told: %v", seq+1, net.sent)
		}
	}
}

// Ranks forget what all of them have decided: a leader what the offers of all show, and others what it tells them.
func TestDecisionsOfAllAreForgotten(t *testing.T) {
	const rounds = 50
	p, c, net := agreeing(t, 0, 3)
	for seq := range uint32(rounds) {
		s := p.vote(c, []byte{1})
		for _, from := range []int{1, 2} {
			p.hear(notice{kind: noticeOffer, id: worldID, seq: seq + 1, low: seq, from: from, value: []byte{2}})
		}
		if !s.Decided() || len(p.agreements[worldID].open) != 1 {
			t.Fatalf("agreement %d: decided %v, %d kept", seq+1, s.Decided(), len(p.agreements[worldID].open))
		}
		if last := net.sent[len(net.sent)-1]; last != [4]uint32{2, noticeDecision, seq + 1, seq} {
			t.Fatalf("agreement %d: told %v", seq+1, last)
		}
	}
	p, c, net = agreeing(t, 2, 3)
	for seq := range uint32(rounds) {
		s := p.vote(c, []byte{3})
		if last := net.sent[len(net.sent)-1]; last != [4]uint32{0, noticeOffer, seq + 1, seq} {
			t.Fatalf("agreement %d: offered %v", seq+1, last)
		}
		decide(p, 0, seq+1, seq)
		if !s.Decided() || len(p.agreements[worldID].open) != 1 {
			t.Fatalf("agreement %d: decided %v, %d kept", seq+1, s.Decided(), len(p.agreements[worldID].open))
		}
	}
	// A late offer for one of these is from a rank that has decided it meanwhile.
	net.sent = nil
	if p.hear(notice{kind: noticeOffer, id: worldID, seq: rounds - 1, from: 1, value: []byte{2}}); len(net.sent) > 0 || len(p.agreements[worldID].open) != 1 {
		t.Errorf("a late offer: sent %v, %d kept", net.sent, len(p.agreements[worldID].open))
	}
}
