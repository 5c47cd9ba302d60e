package martinipm

import (
	"rhinet/llc/ir"
	"rhinet/nicemu/fabric"
)

var _ ir.Reporter = (*Translator)(nil)

// Report puts what this rank waits for on its status line, where the launcher
// sees it.
func (t *Translator) Report(w ir.Waiting) {
	t.fabric.Publish(t.Self(), &fabric.Status{
		State: fabric.Waiting, Call: w.Call, Peer: int32(w.Peer), Tag: int32(w.Tag), Bytes: w.Bytes, Context: w.Context,
	})
}

// Clear says that the rank computes again.
func (t *Translator) Clear() { t.fabric.Publish(t.Self(), &fabric.Status{State: fabric.Running}) }

// Abort says that this rank is ending the job, so that the launcher blames
// nobody else.
func (t *Translator) Abort() { t.fabric.Publish(t.Self(), &fabric.Status{State: fabric.Aborting}) }
