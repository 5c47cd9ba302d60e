package port

import (
	"context"
	"errors"
	"strings"
	"testing"

	"rhinet/llc"
	"rhinet/llc/ir"
	"rhinet/llc/nictest"
)

// A packet that no correct peer sends ends all waits that may depend on its sender, whatever they wait for,
// and the error names the sender.
func TestWaitsEndAfterDamage(t *testing.T) {
	for name, wait := range map[string]func(p *Port) error{
		"Recv from it":      func(p *Port) error { _, err := p.Recv(0, 1, 0, nil); return err },
		"Recv from anyone":  func(p *Port) error { _, err := p.Recv(0, llc.AnyPeer, 0, nil); return err },
		"Recv from another": func(p *Port) error { _, err := p.Recv(0, 2, 0, nil); return err },
		"Ssend to another":  func(p *Port) error { return p.Send(0, 2, 0, llc.Synchronous, []byte{1}) },
		"Probe": func(p *Port) error {
			if _, ok := p.ProbeUntil("Probe", 0, llc.AnyPeer, 0, nil); ok {
				return errors.New("a message")
			}
			return p.Failure()
		},
		"Await": func(p *Port) error {
			p.Await("Barrier", nil, func() bool { return false })
			return p.Failure()
		},
		"Wait": func(p *Port) error {
			r := &llc.Request{Peer: llc.AnyPeer}
			p.Start(r, false)
			if err := p.WaitContext(context.Background(), r); err != nil {
				return err
			}
			return r.Status.Err
		},
	} {
		for _, peer := range []int32{1, 0} { // 0: in the name of the receiver itself
			nics := nictest.Loopback(3, nictest.DefaultCaps())
			p := New(Config{NIC: nics[0], Policy: oversubscribed()})
			if err := p.Failure(); err != nil {
				t.Fatal(err)
			}
			nics[max(peer, 0)].Post(&ir.Command{Op: ir.Shared, Header: ir.Header{Kind: 255}})
			inTime(t, name, func() {
				err := wait(p)
				if !errors.Is(err, llc.ErrPeerGone) || !strings.Contains(err.Error(), "bad unknown packet: ") || !strings.Contains(err.Error(), "peer ") {
					t.Errorf("%s, sent by %d: %v", name, peer, err)
				}
			})
			p.Close()
		}
	}
}

// An auditor counts its calls.
type auditor struct {
	ir.Translator
	asked chan struct{}
}

func (a *auditor) Audit() {
	select {
	case a.asked <- struct{}{}:
	default:
	}
}

// A caller that sleeps for long has the network interface look for damage; so does a caller that asks again
// and again.
func TestWaitsAudit(t *testing.T) {
	for name, wait := range map[string]func(p *Port, asked chan struct{}){
		"a wait": func(p *Port, asked chan struct{}) { p.Await("Barrier", nil, func() bool { return len(asked) > 1 }) },
		"Probe": func(p *Port, asked chan struct{}) {
			for len(asked) < 2 {
				p.Probe(0, llc.AnyPeer, 0)
			}
		},
	} {
		a := &auditor{nictest.Loopback(2, nictest.DefaultCaps())[0], make(chan struct{}, 2)}
		p := New(Config{NIC: a, Policy: oversubscribed()})
		inTime(t, name, func() { wait(p, a.asked) })
		p.Close()
	}
}
