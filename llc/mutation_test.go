package llc_test

import (
	"testing"

	"rhinet/llc"
	"rhinet/llc/sim"
)

// TestBrokenEnginesAreNoticed breaks one engine of each world in one way and
// expects the simulation to notice within a few seeds: what it does not
// notice, it does not test.
func TestBrokenEnginesAreNoticed(t *testing.T) {
	for name, spoil := range map[string]func(*llc.Engine){
		"lines": llc.BreakLines, "data": llc.BreakData, "fragments": llc.BreakFragments, "words": llc.BreakWords,
		"copier": llc.BreakCopier, "transfers": llc.BreakTransfers, "rings": llc.BreakRings,
	} {
		t.Run(name, func(t *testing.T) {
			for seed := range uint64(400) {
				p := sim.Random(seed)
				p.Crash, p.Forger, p.Refuse, p.Deny, p.Messages = 0, 0, 0, 0, 24
				if seed%2 == 0 {
					p.Caps.Remote, p.Caps.Split, p.Caps.SplitUnit, p.Caps.Words, p.Bytes = true, 200, 64, 4, 2500
				}
				p.Prepare = func(peer int, e *llc.Engine) {
					if peer == 0 {
						spoil(e)
					}
				}
				if err := noticed(p); err != nil {
					t.Logf("seed %d: %.200v", seed, err)
					return
				}
			}
			t.Error("not noticed in 400 worlds")
		})
	}
}

// noticed runs a world; an engine that breaks outright counts as noticed.
func noticed(p sim.Params) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = errPanicked
		}
	}()
	return sim.Check(p)
}

var errPanicked = errorString("the engine panicked")

type errorString string

func (e errorString) Error() string { return string(e) }
