package mpi

import (
	"testing"
	"time"

	"rhinet/internal/clock"
	"rhinet/llc/ir"
)

// A stopped is a clock that only records the function of Others.
type stopped struct {
	ir.Clock
	others func() bool
}

func (c *stopped) Others(others func() bool) { c.others = others }
func (c *stopped) Measures() bool            { return false }
func (c *stopped) Used(time.Duration)        {}

// A performer is a transport whose calls only run the functions passed to them.
type performer struct{ Transport }

func (performer) Perform(f func()) { f() }

// A goroutine that is in a call and does not wait there may still wake the others: that
// all goroutines are in calls is no hang.
func TestInCallsAndNotWaiting(t *testing.T) {
	t.Cleanup(func() { clock.Use(nil) })
	waiting, c := 0, &stopped{}
	v := virtualTime(performer{}, func() int { return waiting }, c, 0)
	v.Perform(func() {
		if !c.others() {
			t.Error("a goroutine that works in a call counts as one that waits")
		}
	})
	waiting = 1
	if c.others() {
		t.Error("a goroutine that waits counts as one that may go on")
	}
	v.limit(1)
	if !c.others() {
		t.Error("a wait that ends by itself counts as one that does not")
	}
	v.limit(-1)
	stop := make(chan struct{})
	go func() { <-stop }()
	if !c.others() {
		t.Error("a goroutine that is in no call is overlooked")
	}
	close(stop)
}
