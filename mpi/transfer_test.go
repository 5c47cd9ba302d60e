package mpi

import (
	"reflect"
	"testing"
)

// TestTransferLines: the fields that each transfer of a window uses are in as few cache
// lines as possible, and no transfer shares a line with another one.
func TestTransferLines(t *testing.T) {
	const line = 64
	if reflect.TypeFor[uintptr]().Size() != 8 {
		t.Skip("pointers are short")
	}
	all, lines, bytes := reflect.TypeFor[transfer](), map[uintptr]bool{}, uintptr(0)
	for _, name := range []string{
		"Peer", "Tag", "Buf", "Link", "Type", "Context", "Mode", "Notify", "done", "entry", "Owner", "Status",
		"c", "elem", "gen", "site", "kind", "phase", "told",
	} {
		f, ok := all.FieldByName(name)
		if !ok {
			t.Fatalf("a transfer has no %s", name)
		}
		bytes += f.Type.Size()
		for at := f.Offset; at < f.Offset+f.Type.Size(); at += 8 {
			lines[at/line] = true
		}
	}
	if most := (bytes + line - 1) / line; uintptr(len(lines)) > most {
		t.Errorf("%d bytes lie in %d lines", bytes, len(lines))
	}
	if at := reflect.ValueOf(new(transfer)).Pointer(); at%line != 0 {
		t.Errorf("a transfer of %d bytes begins within a line, at %#x", all.Size(), at)
	}
}
