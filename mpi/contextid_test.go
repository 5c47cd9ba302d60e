package mpi

import "testing"

// A number is handed out again after all others, in another generation, which is part
// of types and tags.
func TestGenerationsOfContexts(t *testing.T) {
	var s idSpace
	s.init(0)
	s.first(1, true)
	seen := map[contextID]bool{}
	for i := range 3 * maxContexts {
		id := s.take()
		if id == noID || seen[id] || id.number() == 0 {
			t.Fatalf("%d: %#x was handed out before: %v", i, id, seen[id])
		}
		seen[id] = true
		s.give(id)
	}
	// The count of uses wraps around.
	s.uses[7] = ^uint32(0)
	for range maxContexts {
		id := s.take()
		if id.number() != 7 {
			s.give(id)
			continue
		}
		if id.stamp() != 1<<32-maxContexts || id.key().Type() != id.stamp() || id.key().Context() != 14 ||
			id.collective() != 15 || id.tag(5) != 0x7fff<<tagBits|5 || id.tag(1<<tagBits-1) > MaxTag {
			t.Errorf("%#x: stamp %#x, key %#x, tag %#x", id, id.stamp(), id.key(), id.tag(5))
		}
		s.give(id)
	}
	if s.uses[7] != 0 {
		t.Errorf("after the last generation comes %d", s.uses[7])
	}
}

// Flag arrays that are offered to one communicator in the making are not offered to
// another, and are free again unless they are taken.
func TestOffersOfFlagArrays(t *testing.T) {
	s := idSpace{flagArrays: 0b11111}
	a, _ := s.offer()
	b, _ := s.offer()
	c, _ := s.offer()
	d, _ := s.offer()
	if a != 0b00111 || b != 0b01000 || c != 0b10000 || d != 0 {
		t.Fatalf("offered %b, %b, %b, %b", a, b, c, d)
	}
	s.settle(a, 1)
	s.settle(b, noFlagArray)
	s.settle(c, 4)
	if s.flagArrays != 0b01101 || s.offered != 0 {
		t.Fatalf("left %b, offered %b", s.flagArrays, s.offered)
	}
	s.giveFlagArray(4, 77)
	if _, seq := s.offer(); seq != 77 || s.flagArrays != 0b11101 {
		t.Fatalf("sequence %d, flag arrays %b", seq, s.flagArrays)
	}
}

type celsius float64

// Only the layout of elements counts.
func TestTypeCodes(t *testing.T) {
	k := new(elemCache)
	same := [][]*elem{
		{elemOf[float64](k), elemOf[celsius](k), elemOf[[3]float64](k), elemOf[[2][2]celsius](k), elemOf[struct{ X, Y float64 }](k),
			elemOf[struct {
				A [2]float64
				_ struct{}
				B struct{ C celsius }
			}](k)},
		{elemOf[int](k), elemOf[int64](k), elemOf[[4]int](k)},
		{elemOf[uint](k), elemOf[uint64](k), elemOf[uintptr](k)},
		{elemOf[int32](k)}, {elemOf[uint32](k)}, {elemOf[float32](k)}, {elemOf[bool](k)}, {elemOf[int8](k)}, {elemOf[int16](k)},
		{elemOf[uint16](k)}, {elemOf[complex64](k)}, {elemOf[complex128](k)},
		{elemOf[byte](k), elemOf[[8]byte](k)},
		{elemOf[struct {
			A, B int32
			C    float64
		}](k), elemOf[struct {
			A [2]int32
			C celsius
		}](k), elemOf[[3]struct {
			S struct{ A, B int32 }
			C float64
		}](k)},
		{elemOf[struct {
			A int32
			C float64
		}](k)},
		{elemOf[struct {
			C float64
			A int32
		}](k)},
		{elemOf[struct {
			A float64
			_ struct{} // makes the compiler pad after A
		}](k)},
		{elemOf[struct {
			A, B float64
			_    struct{}
		}](k)},
		{elemOf[struct { // same size, with the padding between A and B
			X struct {
				A float64
				_ struct{}
			}
			B float64
		}](k)},
		{elemOf[ValLoc[float64]](k)}, {elemOf[ValLoc[float32]](k)},
	}
	whose := map[typeCode]int{}
	for i, group := range same {
		for _, e := range group {
			if e.bad != "" || e.code == 0 || e.code > 1<<12-1 || e.code != group[0].code {
				t.Errorf("%s: code %d, not %d; %s", e.name, e.code, group[0].code, e.bad)
			}
			if j, ok := whose[e.code]; ok && j != i {
				t.Errorf("%s has the code of %s", e.name, same[j][0].name)
			}
			whose[e.code] = i
			if wild := e.key == 0; wild != (e.code == codeByte) {
				t.Errorf("%s: key %#x", e.name, e.key)
			}
		}
	}
	for class, want := range map[uint32]string{0: "bytes", 13: "float32", 1<<12 | 5: "int32", 4000: "a struct of other fields"} {
		if got := className(class); got != want {
			t.Errorf("class %d is called %q", class, got)
		}
	}
}
