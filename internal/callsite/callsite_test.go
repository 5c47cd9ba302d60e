package callsite

import (
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"
)

// These functions are taken for those of the package, because their names begin with inside.
func insideShort(f *Finder) *Line { return f.Caller() }

//go:noinline
func insideDeep(f *Finder, n int) *Line {
	if n > 0 {
		return insideDeep(f, n-1)
	}
	return insideShort(f)
}

// finder returns a Finder for lines outside of functions named inside...
func finder() *Finder {
	return &Finder{prefix: "rhinet/internal/callsite.inside"}
}

// here returns the line that calls it.
func here() string {
	_, file, line, _ := runtime.Caller(1)
	return fmt.Sprintf("%s:%d", file, line)
}

func TestTheLineOfTheCaller(t *testing.T) {
	f := finder()
	for range 3 { // found the first time, and known from then on
		for _, depth := range []int{0, 1, 2, 3, near - 1, near, near + 1, far - 10} {
			if got, want := insideDeep(f, depth).String(), here(); got != want {
				t.Errorf("depth %d: %s, want %s", depth, got, want)
			}
		}
		if a, b, want := insideShort(f), insideShort(f), here(); a.String() != want || b.String() != want {
			t.Errorf("%s, %s, want %s", a, b, want)
		}
		if got, want := insideShort(f).String(), here(); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
	func() {
		if got, want := insideShort(f).String(), here(); got != want {
			t.Errorf("in a literal: %s, want %s", got, want)
		}
	}()
}

// insideTrace is a function that only records its caller.
//
//go:noinline
func insideTrace(f *Finder, t *Trace) { f.Trace(t) }

func TestTheLineOfATrace(t *testing.T) {
	f := finder()
	var way Trace
	if n := testing.AllocsPerRun(100, func() { insideTrace(f, &way) }); n > 0 {
		t.Errorf("%v allocations", n)
	}
	insideTrace(f, &way)
	want := here()
	if got := f.LineOf(&way).String(); !strings.HasPrefix(want, strings.TrimRight(got, "0123456789")) || got == want {
		t.Errorf("%s, want the line before %s", got, want)
	}
	var none Trace
	if l := f.LineOf(&none); l != nil {
		t.Error(l)
	}
}

func TestManyGoroutines(t *testing.T) {
	f := finder()
	var all sync.WaitGroup
	for n := range 20 {
		all.Go(func() {
			for range 100 {
				if got := insideDeep(f, n%4).String(); !strings.Contains(got, "callsite_test.go:") {
					t.Error(got)
				}
			}
		})
	}
	all.Wait()
}

func TestNobodyOutside(t *testing.T) {
	f := new(Finder) // all functions are inside
	if l := f.Caller(); l != nil || l.String() != "" {
		t.Error(l)
	}
	if l := New("rhinet/internal/callsite").Caller(); l == nil || strings.Contains(l.File, "callsite") {
		t.Errorf("%s, want a line of package testing", l)
	}
}

func TestAKnownLineTakesNoMemory(t *testing.T) {
	f := finder()
	if n := testing.AllocsPerRun(100, func() { insideShort(f) }); n > 0 {
		t.Errorf("%v allocations", n)
	}
}

// A return address is never given the line of another one, even if the table is full.
func TestMoreAddressesThanPlaces(t *testing.T) {
	f := finder()
	for pc := range uintptr(8 * knownPlaces) {
		f.learn(&address{pc << 4, &Line{"other.go", 1}})
	}
	if got, want := insideShort(f).String(), here(); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
