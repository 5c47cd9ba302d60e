package martinipm

import (
	"encoding/binary"
	"errors"
	"math"
	"strings"
	"testing"

	"rhinet/internal/pmi"
	"rhinet/llc"
	"rhinet/llc/endpoint/endpointtest"
	"rhinet/llc/ir"
	"rhinet/llc/nictest"
	"rhinet/nicemu/fabric"
	"rhinet/nicemu/fabric/fabrictest"
	"rhinet/nicemu/martini"
	"rhinet/nicemu/martini/pm"
)

type opener func(*fabric.Fabric, int, martini.Options) (*Translator, error)

func (open opener) with(o martini.Options) endpointtest.Opener {
	return func(f *fabric.Fabric, rank int) (ir.Translator, error) { return open(f, rank, o) }
}

var openers = map[string]opener{
	"martini:pm": rhinet, "martini:vp": OpenVP,
	"martini:pm:throttle=global": throttled(pm.Global), "martini:pm:throttle=destination": throttled(pm.PerDestination),
}

func rhinet(f *fabric.Fabric, rank int, o martini.Options) (*Translator, error) {
	return OpenRHiNET(f, rank, o, pm.Options{})
}

func throttled(scope pm.Throttle) opener {
	return func(f *fabric.Fabric, rank int, o martini.Options) (*Translator, error) {
		return OpenRHiNET(f, rank, o, pm.Options{Throttle: scope})
	}
}

// job returns the translators of a job of goroutines.
func job(t testing.TB, peers int, open opener, o martini.Options) []ir.Translator {
	t.Helper()
	_, _, all := managed(t, peers, open, o)
	return all
}

// managed is job for tests that change the job's memory behind the translators' backs.
func managed(t testing.TB, peers int, open opener, o martini.Options) (f *fabric.Fabric, boss *martini.Manager, all []ir.Translator) {
	t.Helper()
	manage := func(f *fabric.Fabric) (err error) {
		boss, err = martini.Manage(f)
		return err
	}
	f, all = fabrictest.Heap(t, peers, pm.Geometry(fabric.Small(), peers), manage, open.with(o))
	return f, boss, all
}

func TestContract(t *testing.T) {
	for name, open := range openers {
		for attached, attach := range map[string]martini.Attach{"attach": martini.Auto, "no attach": martini.Off} {
			t.Run(name+"/"+attached, func(t *testing.T) {
				nictest.Run(t, func(t testing.TB, peers int) []ir.Translator {
					return job(t, peers, open, martini.Options{Attach: attach})
				})
			})
		}
	}
}

// TestContractBetweenProcesses gives each peer a mapping of its own of the
// memory of a job of processes.
func TestContractBetweenProcesses(t *testing.T) {
	for name, open := range openers {
		t.Run(name, func(t *testing.T) {
			nictest.Run(t, func(t testing.TB, peers int) []ir.Translator {
				return fabrictest.Mapped(t, peers, pm.Geometry(fabric.Default(), peers), Entries()[0].Register, open.with(martini.Options{}))
			})
		})
	}
}

// TestProtocols is the table of pm-messaging, section 1.8, with A12: up to 16
// KB eager; above, RMA without copies if there is RMA.
func TestProtocols(t *testing.T) {
	for _, c := range []struct {
		open   opener
		attach martini.Attach
		want   string
	}{
		{rhinet, martini.Auto, "0-16384: eager\n16385-: rendezvous/pull\n"},
		{rhinet, martini.Off, "0-16384: eager\n16385-: rendezvous/stream\n"},
		{OpenVP, martini.Auto, "0-16384: eager\n16385-: rendezvous/stream\n"},
	} {
		caps := job(t, 1, c.open, martini.Options{Attach: c.attach})[0].Caps()
		if got := llc.Protocols(caps); got != c.want {
			t.Errorf("%s: %s", caps.Name, got)
		}
	}
}

// TestRefusals: a command that a layer does not have is refused and answered.
func TestRefusals(t *testing.T) {
	for name, open := range openers {
		tr := job(t, 2, open, martini.Options{Attach: martini.Off})
		for i, cmd := range []ir.Command{
			{Op: ir.Swap, Peer: 1}, {Op: ir.Expose}, {Op: ir.Pull, Peer: 1}, {Op: ir.Push, Peer: 1},
			{Op: ir.Shared, Peer: 2}, {Op: ir.Conceal, Segment: 77}, {Op: ir.Packet, Peer: 1}, // its peer is gone by the last one
		} {
			cmd.Token = uint64(i) + 1
			want := cmd.Token
			if !cmd.Op.Answered() {
				want = 0
			}
			tr[0].Post(&cmd)
			var ev ir.Event
			if !tr[0].Poll(&ev) || ev.Kind != ir.Failed || ev.Token != want || ev.Err == nil || errors.Is(ev.Err, ir.ErrPeerGone) != (cmd.Op == ir.Packet) {
				t.Errorf("%s: %+v: %+v", name, cmd, ev)
			}
		}
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: an unknown operation passes", name)
				}
			}()
			tr[0].Post(&ir.Command{Op: ir.NumOps})
		}()
	}
}

// TestBrokenWay: a peer that cannot be reached is reported as gone, once.
func TestBrokenWay(t *testing.T) {
	for name, open := range openers {
		_, boss, tr := managed(t, 2, open, martini.Options{})
		for i := range martini.Windows {
			if err := boss.Invalidate(0, i); err != nil {
				t.Fatal(err)
			}
		}
		var ev ir.Event
		for i := range 2 {
			tr[0].Post(&ir.Command{Op: ir.Shared, Peer: 1, Token: 9})
			got := tr[0].Poll(&ev)
			if got != (i == 0) || ev.Kind != ir.Failed || ev.Token != 0 || ev.Peer != 1 || !errors.Is(ev.Err, ir.ErrPeerGone) {
				t.Errorf("%s: %v, %+v", name, got, ev)
			}
		}
	}
}

// TestForgedMessages: a message in another's name, without header, or with one that was overwritten, is the
// end of its sender: others may have been lost too.
func TestForgedMessages(t *testing.T) {
	for name, open := range openers {
		var tr []ir.Translator
		send := func(n int, source byte, whole bool) {
			buf, err := tr[0].(*Translator).pm.GetSendBuffer(1, n)
			if err != nil {
				t.Fatal(err)
			}
			clear(buf)
			if n > 16 {
				buf[16] = source
			}
			if whole {
				binary.LittleEndian.PutUint32(buf[20:], check(buf))
			}
			if err := tr[0].(*Translator).pm.Send(); err != nil {
				t.Fatal(err)
			}
		}
		for _, forged := range []func(){
			func() { send(headerBytes, 2, true) },
			func() { send(headerBytes-1, 0, false) },
			func() { send(headerBytes, 0, false) },
		} {
			tr = job(t, 3, open, martini.Options{})
			send(headerBytes, 0, true)
			forged()
			forged()
			var ev ir.Event
			if !tr[1].Poll(&ev) || ev.Kind != ir.Arrived || ev.Peer != 0 {
				t.Errorf("%s: %+v", name, ev)
			}
			if !tr[1].Poll(&ev) || ev.Kind != ir.Failed || ev.Peer != 0 || ev.Token != 0 || !errors.Is(ev.Err, ir.ErrPeerGone) {
				t.Errorf("%s: %+v", name, ev)
			}
			for range 3 {
				if tr[1].Poll(&ev) {
					t.Errorf("%s: %+v", name, ev)
				}
			}
		}
	}
}

// TestCorruptRing: a ring that PM cannot follow is the end of its source, or of all others if all share a
// ring.
func TestCorruptRing(t *testing.T) {
	tr := job(t, 2, rhinet, martini.Options{})
	nic := tr[0].(*Translator).NIC()
	if err := nic.Next().Botf(&martini.Packet{
		Type: martini.PacketPush, PID: 1, Node: 1, Segment: martini.CommonSegment, Payload: []byte{1, 2, 3, 4},
	}); err != nil {
		t.Fatal(err)
	}
	ends := func(tr ir.Translator, peers ...int32) {
		t.Helper()
		var ev ir.Event
		for _, peer := range peers {
			var c *pm.CorruptError
			if !tr.Poll(&ev) || ev.Kind != ir.Failed || ev.Peer != peer || ev.Token != 0 || !errors.Is(ev.Err, ir.ErrPeerGone) || !errors.As(ev.Err, &c) {
				t.Errorf("want the end of %d, got %+v", peer, ev)
			}
		}
		if tr.Poll(&ev) {
			t.Errorf("%+v", ev)
		}
	}
	ends(tr[1], 0)
	f, _, vp := managed(t, 3, OpenVP, martini.Options{})
	w := f.Words(1, fabric.Shared)[32:] // the first line
	w[1], w[0] = 2<<16|0xfff0, 1
	ends(vp[1], 0, 2)
	f, _, gone := managed(t, 2, OpenVP, martini.Options{})
	gone[1].(*Translator).Lose(0, errForged)
	gone[1].Poll(new(ir.Event))
	w = f.Words(1, fabric.Shared)[32:]
	w[1], w[0] = 0xfff0, 1
	ends(gone[1])
}

func TestOpenRefuses(t *testing.T) {
	f, err := fabric.Heap(20, fabric.Small())
	if err != nil {
		t.Fatal(err)
	}
	boss, err := martini.Manage(f)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := OpenRHiNET(f, 0, martini.Options{}, pm.Options{}); err == nil || !strings.Contains(err.Error(), "communication memory") {
		t.Error(err)
	}
	if _, err := OpenVP(f, 20, martini.Options{}); err == nil {
		t.Error("rank 20 of 20")
	}
	if err := boss.Admit(0, f.Job()); err != nil {
		t.Fatal(err)
	}
	if tr, err := OpenVP(f, 0, martini.Options{}); err != nil || tr.Caps().Fragment > math.MaxUint16 {
		t.Errorf("after a failure the NIC is not free: %v", err)
	}
}

// TestStatus: the launcher sees what the rank waits for and how it ends.
func TestStatus(t *testing.T) {
	f, _, all := managed(t, 1, OpenVP, martini.Options{})
	tr := all[0].(*Translator)
	state := func() pmi.State { s, _ := f.Status(0); return s.State }
	tr.Report(ir.Waiting{Call: "Recv", Peer: 3, Tag: 4, Bytes: 5})
	if s, _ := f.Status(0); s.State != pmi.Waiting || s.Call != "Recv" || s.Peer != 3 || s.Tag != 4 || s.Bytes != 5 {
		t.Errorf("%+v", s)
	}
	if tr.Clear(); state() != pmi.Computing {
		t.Error("not running")
	}
	tr.Abort()
	if err := tr.Close(); err != nil || state() != pmi.Aborted {
		t.Errorf("%v, state %d", err, state())
	}
}
