package sim

import (
	"errors"
	"fmt"
	"slices"

	"rhinet/llc/wire"
)

// Check does one run and returns what is wrong with its outcome, with the recipe, or nil. Without a fault
// that is what was wrong with the run. With one the network has broken its contract (every packet comes once,
// and in the order of its ring). Then the run must go wrong if it cannot go right, and it must not go wrong
// in a worse way:
//
//	nothing was affected               the run goes right
//	lost: Grant, Refuse, CTSSplit, RTR the run goes right: they only make it faster
//	lost: Switch                       either: packets behind it are lost
//	lost: any other                    the run goes wrong: bytes or a request are missing
//	twice: any                         the run goes wrong: engines notice every duplicate
//	after the next: any                either: the next may have nothing to do with it
//
// A run that goes wrong ends with an error of an engine, or the checks find what is missing; no run, whatever
// the network did, is endless or writes where it must not.
func Check(p Params) error {
	w, err := run(p)
	if p.Fault == "" || w == nil {
		return err
	}
	must, may := w.expected()
	switch {
	case err == nil && must:
		return fmt.Errorf("nobody noticed what the network did\n%v", p)
	case err != nil && !may, errors.Is(err, errEndless), errors.Is(err, errWrote), len(w.net.Broken) > 0:
		return err
	}
	return nil
}

// harmless are the packets without which everything arrives.
var harmless = []wire.Kind{wire.Grant, wire.Refuse, wire.CTSSplit, wire.RTR}

// expected reports whether a run must go wrong, and whether it may, from what has become of its packets.
func (w *world) expected() (must, may bool) {
	for kind, fates := range w.net.Fates {
		k := wire.Kind(kind)
		if fates[Drop] > 0 && !slices.Contains(harmless, k) {
			may = true
			must = must || k != wire.Switch
		}
		if fates[Repeat] > 0 {
			must, may = true, true
		}
		may = may || fates[Delay] > 0
	}
	return must, may
}
