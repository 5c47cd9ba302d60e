package ir

import (
	"math/bits"
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
	all := new(able)
	full := reflect.ValueOf(AbilitiesOf(all))
	for i := range full.NumField() {
		if full.Field(i).IsNil() {
			t.Errorf("%s is not found", full.Type().Field(i).Name)
		}
	}
	var want Abilities
	fields := reflect.ValueOf(&want).Elem()
	for n := range 1 << full.NumField() { // in the order of a Gray code: each set differs from the one before in one ability
		if got := AbilitiesOf(want.Give(all)); got != want {
			t.Fatalf("got %+v, want %+v", got, want)
		}
		if i := bits.TrailingZeros(uint(n + 1)); i < full.NumField() {
			if fields.Field(i).IsNil() {
				fields.Field(i).Set(full.Field(i))
			} else {
				fields.Field(i).SetZero()
			}
		}
	}
}
