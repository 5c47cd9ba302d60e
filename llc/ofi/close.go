package ofi

import (
	"errors"
	"runtime"
	"time"

	"rhinet/llc/ir"
)

// Close leaves the network once the packets that were posted are on their way.
func (t *Translator) Close() error {
	t.release()
	var ev ir.Event
	for start := time.Now(); !t.Settled() && time.Since(start) < lastWord; {
		if !t.Poll(&ev) {
			runtime.Gosched()
		}
	}
	t.watch.Close()
	var err error
	for key := range t.segments {
		err = errors.Join(err, t.conceal(key))
	}
	if !t.beside {
		t.fabric.Leave(t.Self())
		t.Finish()
	}
	return errors.Join(err, t.lib.Close())
}

// Settled reports whether the packets that were posted are on their way.
func (t *Translator) Settled() bool { return len(t.free) >= t.moving-t.sends }
