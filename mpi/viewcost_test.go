package mpi

import (
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"rhinet/collectives"
)

// A program may make a view for each call: what it says of the layout is found out once, however many pieces
// the layout has, and in whatever order.
func TestViewsOfOneLayoutCostLittle(t *testing.T) {
	if testing.CoverMode() != "" {
		t.Skip("counting statements moves variables to the heap")
	}
	ws, _ := worldsOf(t, 1, collectives.Options{})
	w := ws[0]
	buf := make([]float64, 4000)
	type point struct {
		X, Y float64
		ID   int32
	}
	points := make([]point, 10)
	fields := Fields[point]("X", "ID")
	many := IndexedBlock(1, rand.New(rand.NewPCG(1, 2)).Perm(2000))
	column := Vector(10, 1, 30)
	for name, one := range map[string]struct {
		view func() []Item
		most float64 // the handle and what it refers to
	}{
		"Vector":            {func() []Item { return View(buf, column) }, 2},
		"with a name":       {func() []Item { return View(buf, column.Named("column")) }, 2},
		"many pieces":       {func() []Item { return View(buf, many) }, 2},
		"fields of structs": {func() []Item { return View(points, fields) }, 2},
	} {
		made := testing.AllocsPerRun(100, func() { one.view() })
		joined := testing.AllocsPerRun(100, func() { // as a receive does
			if _, err := w.bodyOf(at("Recv"), one.view(), true); err != nil {
				t.Fatal(err)
			}
		})
		if made > one.most || joined > one.most+1 {
			t.Errorf("%s: %v allocations, with a receive %v; want at most %v and %v", name, made, joined, one.most, one.most+1)
		}
	}
}

// Errors call each copy of a layout by its own name, in any order of use.
func TestErrorsNameTheCopyOfALayout(t *testing.T) {
	ws, _ := worldsOf(t, 1, collectives.Options{})
	buf := make([]float64, 10)
	twice := Vector(3, 2, 1)
	for range 2 {
		for _, c := range []struct {
			l    Layout
			view []Item
			want string
		}{
			{twice, View(buf, twice), "Vector(3, 2, 1) of float64"},
			{twice, View(buf, twice.Named("overlap")), "overlap of float64"},
			{twice, Views(buf, 2, twice.Named("overlaps")), "overlaps of float64"},
			{twice, View(make([]int32, 10), twice), "Vector(3, 2, 1) of int32"},
		} {
			_, err := Recv(ws[0], c.view, 0, 0)
			want := "some bytes of " + c.want + " belong to two elements, so it can be sent and not received"
			if !errors.Is(err, ErrLayout) || !strings.HasSuffix(err.Error(), want) {
				t.Errorf("%v, want %s", err, want)
			}
		}
	}
}

// Items that overlap each other, but not themselves, cannot be received into together.
func TestItemsThatOverlapEachOther(t *testing.T) {
	ws, _ := worldsOf(t, 1, collectives.Options{})
	w := ws[0]
	pairs := Views(make([]float64, 10), 3, Contiguous(2).Resized(0, 8))
	for range 2 {
		if _, err := w.bodyOf(at("Recv"), pairs, true); !errors.Is(err, ErrLayout) {
			t.Errorf("three items: %v", err)
		}
		if _, err := w.bodyOf(at("Send"), pairs, false); err != nil {
			t.Error(err)
		}
		for i := range pairs {
			if _, err := w.bodyOf(at("Recv"), pairs[i:i+1], true); err != nil {
				t.Errorf("item %d: %v", i, err)
			}
		}
	}
}
