package endpointtest

import (
	"errors"
	"io/fs"
	"slices"
	"testing"

	"rhinet/internal/ring"
	"rhinet/llc/ir"
	"rhinet/nicemu/fabric"
)

// A Harm is damage to the memory of a job, and the ranks that rank 0 loses by it.
type Harm struct {
	Do   func(f *fabric.Fabric)
	Lost []int32
}

// Audits checks that what was overwritten before it was seen is found, and ends the use of the peers that it
// concerns. job makes jobs of three; before the damage rank 1 has sent a packet into ring 0 of rank 0, rank 2
// one into its shared ring, and rank 0 has raised a flag. harms are those of a NIC; damage to the flag, and
// none, are tried on all NICs.
func Audits(t *testing.T, job func() (*fabric.Fabric, []ir.Translator), harms map[string]Harm) {
	t.Helper()
	harms["nothing"] = Harm{Do: func(*fabric.Fabric) {}}
	harms["flag"] = Harm{Do: func(f *fabric.Fabric) { f.Flags()[fabric.FlagFront*fabric.FlagPlace(1)*3][3] ^= 1 }, Lost: []int32{1, 2}}
	for name, h := range harms {
		f, all := job()
		all[0].Post(&ir.Command{Op: ir.Watch, Peer: 1})
		all[1].Post(Packet(ir.Packet, 0, make([]byte, 100)))
		all[2].Post(Packet(ir.Shared, 0, []byte("shared")))
		ir.AbilitiesOf(all[0]).FlagArray.Raise([]int{1, 2}, 0, 1, 0, []byte("flag"))
		for _, tr := range all[1:] {
			if lost := Audit(tr); lost != nil {
				t.Fatalf("%s: a rank that wrote loses %v", name, lost)
			}
		}
		h.Do(f)
		if lost := Audit(all[0]); !slices.Equal(lost, h.Lost) {
			t.Errorf("%s: lost %v, want %v", name, lost, h.Lost)
		}
		for _, tr := range all {
			_ = tr.Close()
		}
	}
}

// MovesAllocateNothing checks that access to memory which rank 1 exposes, and other commands for it, allocate
// nothing, and leave nothing mapped or pinned.
func MovesAllocateNothing(t *testing.T, all []ir.Translator, others ...*ir.Command) {
	t.Helper()
	mem, buf := make([]byte, 10000), make([]byte, 10000)
	var ev ir.Event
	expose, conceal := ir.Command{Op: ir.Expose, Data: mem}, ir.Command{Op: ir.Conceal}
	moves := append([]*ir.Command{
		{Op: ir.Pull, Peer: 1, Data: buf}, {Op: ir.Push, Peer: 1, Data: buf}, {Op: ir.Swap, Peer: 1}, {Op: ir.ReadTail, Peer: 1},
	}, others...)
	used := testing.AllocsPerRun(100, func() {
		all[1].Post(&expose)
		all[1].Poll(&ev)
		conceal.Segment = ev.Segment
		for _, cmd := range moves {
			cmd.Segment = conceal.Segment
			all[0].Post(cmd)
		}
		for all[0].Poll(&ev) {
			if ev.Kind == ir.Failed {
				t.Fatal(ev.Err)
			}
		}
		for all[1].Poll(&ev) {
		}
		all[1].Post(&conceal)
	})
	if used != 0 {
		t.Errorf("%v allocations", used)
	}
}

// ReportsTheDead checks that a Pull from a peer whose process has ended fails with the NIC's reason, and that
// the end of the peer is reported. leave ends rank 1 of all, a job of processes.
func ReportsTheDead(t *testing.T, all []ir.Translator, leave func(), gone error) {
	t.Helper()
	if !all[0].Caps().Remote {
		t.Skip("this kernel refuses cross-memory attach")
	}
	all[1].Post(&ir.Command{Op: ir.Expose, Data: make([]byte, 100)})
	seg := Next(t, all[1]).Segment
	leave()
	all[0].Post(&ir.Command{Op: ir.Pull, Peer: 1, Segment: seg, Data: make([]byte, 100), Token: 5})
	if ev := Next(t, all[0]); ev.Kind != ir.Failed || ev.Token != 5 || !errors.Is(ev.Err, ir.ErrPeerGone) || !errors.Is(ev.Err, gone) {
		t.Errorf("%+v", ev)
	}
	if ev := Next(t, all[0]); !IsEnd(&ev, 1) {
		t.Errorf("%+v", ev)
	}
}

// LosesOne checks that rank 0, of a job of three, loses rank 1 for a reason, receives nothing more from it,
// and receives from rank 2.
func LosesOne(t *testing.T, name string, all []ir.Translator, reason error) {
	t.Helper()
	all[1].Post(Packet(ir.Shared, 0, []byte("after it"))) // is dropped with the peer
	all[2].Post(Packet(ir.Shared, 0, []byte("another")))
	if ev := Next(t, all[0]); !IsEnd(&ev, 1) || !errors.Is(ev.Err, reason) {
		t.Errorf("%s: %+v", name, ev)
	}
	if ev := Next(t, all[0]); ev.Kind != ir.Arrived || ev.Peer != 2 || string(ev.Data) != "another" {
		t.Errorf("%s: %+v of another peer", name, ev)
	}
}

// NoHostMemory checks that a NIC that reaches no memory of its host says so: the engine then uses other
// protocols.
func NoHostMemory(t *testing.T, tr ir.Translator) {
	t.Helper()
	if c := tr.Caps(); c.Remote || c.Words != 0 {
		t.Errorf("%+v", c)
	}
	for i, op := range []ir.Op{ir.Expose, ir.Pull, ir.Push, ir.Swap} {
		tr.Post(&ir.Command{Op: op, Peer: 1, Data: make([]byte, 8), Token: uint64(i + 1)})
		if ev := Next(t, tr); ev.Kind != ir.Failed || !errors.Is(ev.Err, fs.ErrPermission) || int(ev.Token) != i+1 {
			t.Errorf("%v: %+v", op, ev)
		}
	}
	tr.Post(&ir.Command{Op: ir.Conceal})
	if ev := Next(t, tr); ev.Kind != ir.Failed || ev.Peer != 0 {
		t.Errorf("%+v", ev)
	}
}

// FirstLine returns the first line of the shared ring of rank 0, in which packets of all ranks arrive.
func FirstLine(f *fabric.Fabric) *ring.Line {
	lines := f.Lines(0, fabric.Shared)
	return &lines[len(lines)-f.Geometry().Shared.Lines]
}
