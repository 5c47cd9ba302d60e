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
	for has := range 1 << full.NumField() {
		var want Abilities
		for i := range full.NumField() {
			if has>>i&1 != 0 {
				reflect.ValueOf(&want).Elem().Field(i).Set(full.Field(i))
			}
		}
		got := reflect.ValueOf(AbilitiesOf(want.Give(all)))
		for i := range got.NumField() {
			if got.Field(i).IsNil() != (has>>i&1 == 0) {
				t.Errorf("set %#x: %s is %v", has, got.Type().Field(i).Name, got.Field(i))
			}
		}
	}
}
