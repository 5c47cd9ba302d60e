package ir

import (
	"reflect"
	"testing"
)

// able has every optional ability; each does nothing.
type able struct {
	Translator
	FlagArray
	Controller
	Aimer
	Reporter
	Announcer
	Auditor
	Express
	Lanes
	Memory
	Remote
	Lender
	Clock
	FailureDetector
	Switch
	Atomics
	Locker
	Vectors
	Router
	Refuser
	Injector
	CPUTimer
	Settler
}

func (able) Hint(int) {}

// TestAbilities: a translator has the abilities whose methods it has; a wrapped one has those that it was
// given and no others.
func TestAbilities(t *testing.T) {
	var all able
	full := reflect.ValueOf(AbilitiesOf(all))
	for i := range full.NumField() {
		if full.Field(i).IsNil() {
			t.Errorf("%s is not found", full.Type().Field(i).Name)
		}
	}
	n := full.NumField()
	check := func(has int) {
		var want Abilities
		for i := range n {
			if has>>i&1 != 0 {
				reflect.ValueOf(&want).Elem().Field(i).Set(full.Field(i))
			}
		}
		got := reflect.ValueOf(AbilitiesOf(want.Give(all)))
		for i := range n {
			if got.Field(i).IsNil() != (has>>i&1 == 0) {
				t.Errorf("set %#x: %s is %v", has, got.Type().Field(i).Name, got.Field(i))
			}
		}
	}
	for i := range n { // all sets of up to three abilities, and all that lack up to three
		for j := range i + 1 {
			for k := range j + 1 {
				few := 1<<i | 1<<j | 1<<k
				check(few)
				check(1<<n - 1 - few)
			}
		}
	}
	check(0)
	check(1<<n - 1)
}
