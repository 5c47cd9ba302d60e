package fabric

import (
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"rhinet/internal/ring"
)

func TestGeometryNamesWhatIsWrong(t *testing.T) {
	for _, c := range []struct {
		ranks int
		spoil func(*Geometry)
		want  string
	}{
		{0, func(*Geometry) {}, "0 ranks"},
		{MaxRanks + 1, func(*Geometry) {}, "1025 ranks"},
		{2, func(g *Geometry) { g.Rings = 0 }, "0 packet rings"},
		{2, func(g *Geometry) { g.Ring.Slots = 3 }, "3 lines"},
		{2, func(g *Geometry) { g.Ring.Bytes = 63 }, "63 bytes"},
		{2, func(g *Geometry) { g.Shared.Lines = 32 }, "32 lines"},
		{2, func(g *Geometry) { g.FlagArrays = -1 }, "-1 flag arrays"},
		{2, func(g *Geometry) { g.Words = maxWords + 1 }, "control words"},
		{2, func(g *Geometry) { g.Device = -1 }, "-1 bytes of NIC memory"},
		{2, func(g *Geometry) { g.Public = maxBytes + 1 }, "public NIC memory"},
		{2, func(g *Geometry) { g.Common = minCommon + 1 }, "bytes to reserve"},
	} {
		g := Small()
		c.spoil(&g)
		_, err := Heap(c.ranks, g)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: got %v", c.want, err)
		}
		if _, err := Create(c.ranks, g); err == nil {
			t.Errorf("%q: Create succeeds", c.want)
		}
	}
}

// TestAreasFillTheRegionWithoutOverlap checks random geometries.
func TestAreasFillTheRegionWithoutOverlap(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		g := Geometry{
			Rings: 1 + rng.IntN(100), FlagArrays: rng.IntN(9), Words: rng.IntN(1000), Device: rng.IntN(1 << 20), Public: rng.IntN(1 << 18),
			Ring:   ring.Layout{Slots: 2 << rng.IntN(10), Bytes: 64 << rng.IntN(12)},
			Shared: ring.SharedLayout{Lines: 64 << rng.IntN(6)},
			Common: []int{0, minCommon, defaultCommon}[rng.IntN(3)],
		}
		ranks := 1 + rng.IntN(MaxRanks)
		if err := g.Check(ranks); err != nil {
			t.Fatal(err)
		}
		l := layOut(ranks, g)
		end := l.tables
		if lines := ranks * (1 + FlagLines*g.FlagArrays*(FlagFront+restLines)); end%PageBytes != 0 || end < bellsAt+lines*ring.LineBytes {
			t.Fatalf("%+v: the first tables are at %d", g, end)
		}
		for _, part := range []struct{ from, to Area }{{Front, Public}, {Public, numAreas}} {
			for rank := range ranks {
				for a := part.from; a < part.to; a++ {
					if at := l.at(rank, a); at != end {
						t.Fatalf("%+v: area %d of rank %d at %d, want %d", g, a, rank, at, end)
					}
					end += pages(l.size[a])
				}
			}
			if part.to == Public && end != l.slices {
				t.Fatalf("%+v: tables end at %d, slices begin at %d", g, end, l.slices)
			}
		}
		if g.Common > 0 {
			end += chunks * 8
		}
		if end += g.Common; end != l.total() || end != g.Bytes(ranks) {
			t.Fatalf("%+v: the memory ends at %d of %d, %d", g, end, l.total(), g.Bytes(ranks))
		}
	}
}

func TestHeaderIsChecked(t *testing.T) {
	l := layOut(3, Small())
	good := func() []uint64 {
		w := make([]uint64, PageBytes/8)
		l.write(bytesOf(w), 7)
		return w
	}
	if got, err := readHeader(bytesOf(good()), l.total()); err != nil || got != l {
		t.Fatalf("%+v, %v", got, err)
	}
	for name, spoil := range map[string]func([]uint64){
		"magic":       func(w []uint64) { w[wordMagic]++ },
		"version":     func(w []uint64) { w[wordVersion]++ },
		"ranks":       func(w []uint64) { w[wordRanks] = 1 << 40 },
		"rings":       func(w []uint64) { w[wordRings] = 1 << 63 },
		"flag arrays": func(w []uint64) { w[wordFlagArrays] += 100 },
		"total":       func(w []uint64) { w[wordTotal]++ },
	} {
		w := good()
		spoil(w)
		if _, err := readHeader(bytesOf(w), l.total()); err == nil {
			t.Errorf("wrong %s is accepted", name)
		}
	}
	if _, err := readHeader(bytesOf(good()), l.total()-1); !errors.Is(err, ErrForeign) {
		t.Errorf("short memory: %v", err)
	}
}
