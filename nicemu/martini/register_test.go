package martini

import (
	"strings"
	"testing"

	"rhinet/nicemu/fabric"
)

// TestOnlyTheManagerRegisters is the rule of section 8.5: a process of a
// managed job is what it was registered as, once.
func TestOnlyTheManagerRegisters(t *testing.T) {
	f, err := fabric.Heap(2, fabric.Small())
	if err != nil {
		t.Fatal(err)
	}
	if err := Register(f); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(f, 1, Options{Job: f.Job() + 1}); err == nil || !strings.Contains(err.Error(), "registered for job") {
		t.Errorf("as a process of another job: %v", err)
	}
	n, err := Open(f, 1, Options{Job: f.Job()})
	if err != nil {
		t.Fatal(err)
	}
	for i := range Windows {
		if n.Window(i).entry.load(winKey) != winValid|makeKey(f.Job(), 1) {
			t.Errorf("Window %d belongs to another", i)
		}
	}
	if err := n.Window(15).Botf(&Packet{Type: PacketPush, PGID: 77, Segment: CommonSegment, Payload: make([]byte, 8)}); err != nil {
		t.Error(err)
	}
	if err := n.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(f, 1, Options{}); err == nil || !strings.Contains(err.Error(), "no Window is registered") {
		t.Errorf("after its NIC was closed: %v", err)
	}
	if f.Process(1) != 0 {
		t.Error("a process that was refused stays")
	}
}

func TestRegisterNeedsMemory(t *testing.T) {
	g := fabric.Small()
	g.Device = fabric.PageBytes
	f, err := fabric.Heap(1, g)
	if err != nil {
		t.Fatal(err)
	}
	if err := Register(f); err == nil {
		t.Error("without NIC memory")
	}
}
