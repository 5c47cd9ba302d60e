package layout

import (
	"testing"

	"pgregory.net/rapid"
)

func checkSignature(t *rapid.T, l *Type, s slow) {
	var plain Signature
	for _, c := range s.codes {
		plain.add(Run{c, int(c), 1})
	}
	if len(s.codes) == 0 {
		return
	}
	if want := plain.reduced(); !want.Same(l.Signature()) {
		t.Fatalf("signature %v, want %v", l.Signature(), want)
	}
	count := 0
	for n := 0; n < len(s.codes); n += int(s.codes[n]) {
		if got, whole := l.Elements(n); got != count || !whole {
			t.Fatalf("%d bytes are %d elements, whole %v; want %d", n, got, whole, count)
		}
		if got, whole := l.Elements(n + 1); s.codes[n] > 1 && (got != count || whole) {
			t.Fatalf("%d bytes are %d elements, whole %v", n+1, got, whole)
		}
		count++
	}
	if got, whole := l.Elements(3 * len(s.codes)); got != 3*count || !whole {
		t.Fatalf("three of them are %d elements, whole %v; want %d", got, whole, 3*count)
	}
}

// Long irregular signatures are not compared.
func TestLongSignaturesAreNotKnown(t *testing.T) {
	a, b := Leaf(4, 1, SignatureOf(Run{1, 4, 4})), Leaf(8, 1, SignatureOf(Run{2, 8, 8}))
	pair, _ := Struct([]Member{{0, a}, {4, b}})
	many, _ := Contiguous(mostRuns, pair)
	l, _ := Struct([]Member{{0, many}, {many.Extent(), b}})
	if s := l.Signature(); len(s.Runs) != 0 {
		t.Errorf("%d runs", len(s.Runs))
	}
	if n, whole := l.Elements(8); n != -1 || whole {
		t.Errorf("%d elements, whole %v", n, whole)
	}
	for items, want := range []int{0, 2*mostRuns + 1, 4*mostRuns + 2} { // but the elements of whole items are
		if n, whole := l.Elements(items * l.Size()); n != want || !whole {
			t.Errorf("%d items are %d elements, whole %v; want %d", items, n, whole, want)
		}
	}
	if n, whole := Empty().Elements(0); n != 0 || !whole {
		t.Errorf("no data is %d elements, whole %v", n, whole)
	}
	again, _ := Struct([]Member{{0, l}, {l.Extent(), a}})
	if s := again.Signature(); len(s.Runs) != 0 {
		t.Errorf("%d runs", len(s.Runs))
	}
}
