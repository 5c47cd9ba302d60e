package cenju4

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math/rand/v2"
	"testing"

	"rhinet/internal/ring"
	"rhinet/nicemu/fabric"
	"rhinet/nicemu/fabric/fabrictest"
)

const bootstrapBytes = 64 << 10

// open returns the NICs of a job of goroutines.
func open(t testing.TB, ranks int) []*NIC {
	t.Helper()
	_, all := fabrictest.Heap(t, ranks, Geometry(fabric.Small(), bootstrapBytes), nil, opener(Options{}))
	return all
}

// mapped returns the NICs of a job of processes.
func mapped(t testing.TB, ranks int, o Options) []*NIC {
	t.Helper()
	return fabrictest.Mapped(t, ranks, Geometry(fabric.Default(), bootstrapBytes), func(f *fabric.Fabric) error { _, err := Manage(f); return err }, opener(o))
}

func opener(o Options) func(f *fabric.Fabric, rank int) (*NIC, error) {
	return func(f *fabric.Fabric, rank int) (*NIC, error) { return Open(f, rank, o) }
}

// each runs a test on the NICs of goroutines and of processes.
func each(t *testing.T, ranks int, test func(t *testing.T, n []*NIC)) {
	t.Run("goroutines", func(t *testing.T) { test(t, open(t, ranks)) })
	t.Run("processes", func(t *testing.T) { test(t, mapped(t, ranks, Options{})) })
}

// pattern returns n bytes that differ from place to place.
func pattern(n int, seed byte) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(i*7) + byte(i>>8) + seed
	}
	return b
}

func post(t testing.TB, n *NIC, p Parcel, lent []byte) {
	t.Helper()
	if err := n.Post(&p, lent); err != nil {
		t.Fatal(err)
	}
}

func mapTo(t testing.TB, n *NIC, b []byte, r Right) Address {
	t.Helper()
	a, err := n.Map(b, r)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// TestWriteAndRead copies to and from memory of a process, from and to any place.
func TestWriteAndRead(t *testing.T) {
	each(t, 3, func(t *testing.T, n []*NIC) {
		if !n[0].Remote() {
			t.Skip("this kernel refuses cross-memory attach")
		}
		for _, size := range []int{0, 1, 7, 8, 9, 64, 5000, MaxParcel + 17, 2*MaxParcel + 3} {
			for _, at := range []int{0, 3, 8, 12} {
				mem := make([]byte, at+size+16)
				a := mapTo(t, n[1], mem, MayRead|MayWrite)
				out, in := pattern(size, 3), make([]byte, size)
				if err := n[0].Write(1, a+Address(at), out); err != nil {
					t.Fatal(err)
				}
				if want := append(append(make([]byte, at), out...), make([]byte, 16)...); !bytes.Equal(mem, want) {
					t.Errorf("%d bytes written at %d", size, at)
				}
				if err := n[2].Read(1, a+Address(at), in); err != nil || !bytes.Equal(in, out) {
					t.Errorf("%d bytes read at %d: %v", size, at, err)
				}
				if err := n[1].Unmap(a); err != nil {
					t.Error(err)
				}
			}
		}
	})
}

// TestWhatReachesTooFarMovesNothing also checks transfers of several parcels.
func TestWhatReachesTooFarMovesNothing(t *testing.T) {
	each(t, 2, func(t *testing.T, n []*NIC) {
		mem := make([]byte, MaxParcel+100)
		a := mapTo(t, n[1], mem, MayRead|MayWrite)
		for _, c := range []struct {
			at   Address
			size int
		}{{0, MaxParcel + 101}, {3, MaxParcel + 98}, {MaxParcel, 101}, {MaxParcel + 100, 1}, {1 << 37, 8}} {
			if err := n[0].Write(1, a+c.at, pattern(c.size, 1)); err == nil || !bytes.Equal(mem, make([]byte, len(mem))) {
				t.Errorf("%+v: %v", c, err)
			}
			in := make([]byte, c.size)
			if err := n[0].Read(1, a+c.at, in); err == nil || !bytes.Equal(in, make([]byte, c.size)) {
				t.Errorf("%+v: %v", c, err)
			}
		}
		for _, dest := range []int{-1, 2, destMask + 1, 1 << 40} {
			if err := n[0].Write(dest, a, mem[:8]); !errors.Is(err, BeyondTable) {
				t.Error(err)
			}
		}
	})
}

// TestCopy moves words between mapped memory in all cases of odd addresses and disordered pages.
func TestCopy(t *testing.T) {
	each(t, 2, func(t *testing.T, n []*NIC) {
		if !n[0].Remote() {
			t.Skip("this kernel refuses cross-memory attach")
		}
		rng := rand.New(rand.NewPCG(5, 6))
		const pages = 8
		for round := range 300 {
			from, to := pattern(pages*PageBytes, byte(round)), make([]byte, pages*PageBytes)
			order, there := rng.Perm(pages), rng.Perm(pages)
			a, err := n[0].MapPages(from, order, 0)
			if err != nil {
				t.Fatal(err)
			}
			b, err := n[1].MapPages(to, there, MayWrite)
			if err != nil {
				t.Fatal(err)
			}
			size := 4 * (1 + rng.IntN(5*PageBytes/4))
			src, dst := 4*rng.IntN((len(from)-size)/4+1), 4*rng.IntN((len(to)-size)/4+1)
			if err := n[0].Copy(1, b+Address(dst), a+Address(src), uint64(size), Flags(rng.IntN(2))*NotOptimised); err != nil {
				t.Fatalf("%d bytes from %d to %d: %v", size, src, dst, err)
			}
			if !bytes.Equal(view(to, there)[dst:dst+size], view(from, order)[src:src+size]) {
				t.Fatalf("%d bytes from %d to %d are others", size, src, dst)
			}
			if err := errors.Join(n[0].Unmap(a), n[1].Unmap(b)); err != nil {
				t.Fatal(err)
			}
		}
	})
	n := open(t, 2)
	a := mapTo(t, n[0], make([]byte, 64), 0)
	if err := n[0].Copy(1, BootstrapAt, a+1, 16, 0); !errors.Is(err, Misplaced) {
		t.Errorf("no words: %v", err)
	}
	if err := n[0].Copy(1, BootstrapAt+4, a+60, 16, 0); !errors.Is(err, Beyond) {
		t.Error(err)
	}
	if err := n[0].Copy(1, 4, a, 16, 0); !errors.Is(err, NoSegment) {
		t.Error(err)
	}
}

// view returns memory in the order of its page table.
func view(b []byte, order []int) (all []byte) {
	for _, page := range order {
		all = append(all, b[page*PageBytes:][:PageBytes]...)
	}
	return all
}

// TestWords: atomic add, swap, and compare and swap, with their notices.
func TestWords(t *testing.T) {
	each(t, 3, func(t *testing.T, n []*NIC) {
		word := &n[0].f.Words(1, fabric.Control)[2]
		at := uint64(ControlAt) + 16
		post(t, n[0], Parcel{Protocol: AtomicAdd, Dest: 1, Length: 8, Words: [3]uint64{5, at}}, nil)
		post(t, n[1], Parcel{Protocol: AtomicAdd, Dest: 1, Length: 8, Words: [3]uint64{^uint64(0), at}}, nil)
		if *word != 4 {
			t.Errorf("%d after adding 5 and -1", *word)
		}
		old := make([]byte, 8)
		post(t, n[2], Parcel{Protocol: Swap, Dest: 1, Length: 8, Words: [3]uint64{at, 9, uint64(LentFor(0))}}, old)
		if got := binary.NativeEndian.Uint64(old); got != 4 || *word != 9 {
			t.Errorf("swapped %d for %d", got, *word)
		}
		for i, c := range []struct {
			old, now, seen uint64
			kind           NoticeKind
		}{{8, 1, 9, Differed}, {9, 1, 9, Compared}, {9, 2, 1, Differed}} {
			post(t, n[0], Parcel{Protocol: CompSwap, Rrid: uint8(i), Dest: 1, Length: 8, Words: [3]uint64{at, c.old, c.now}}, nil)
			if got := n[0].Notice(i); got != (Notice{c.seen, c.kind}) {
				t.Errorf("%+v: %+v", c, got)
			}
			n[0].ClearNotice(i)
			if got := n[0].Notice(i); got.Kind != NoNotice {
				t.Error("not cleared")
			}
		}
		if *word != 1 {
			t.Error(*word)
		}
	})
}

// TestTelling: notice of the Sender, log record, interrupts and the notification buffer.
func TestTelling(t *testing.T) {
	n := open(t, 2)
	told := make([]byte, 16)
	at := uint64(mapTo(t, n[0], told, 0)) + 8
	p := Parcel{Protocol: RemoteDMA, Flags: Log | Interrupt, Dest: 1, Length: 100, Words: [3]uint64{uint64(LentFor(BootstrapAt + 256)), uint64(BootstrapAt) + 256, at}}
	post(t, n[0], p, make([]byte, 100))
	if binary.NativeEndian.Uint64(told[8:]) != Sent || n[0].Sent(Notifications) != 1 {
		t.Error("not told that it was sent")
	}
	if r, ok := n[1].ReadLog(0); !ok || r != (LogRecord{RemoteDMA, 0, 100, BootstrapAt + 256}) {
		t.Errorf("%+v, %v", r, ok)
	}
	if _, ok := n[1].ReadLog(1); ok || n[1].Interrupts(Arrived) != 1 {
		t.Error("more than one record, or no interrupt")
	}
	n[1].MaskArrivals(true)
	for i := range 2 * LogRecords {
		p.Length, p.Flags = uint32(i%100), Log|Interrupt
		post(t, n[0], p, make([]byte, i%100))
	}
	n[1].MaskArrivals(false)
	if got := n[1].Interrupts(Arrived); got != 1 {
		t.Errorf("%d interrupts though they are disabled", got)
	}
	if got := n[1].Interrupts(LogFilling); got != 8 {
		t.Errorf("%d interrupts for 8 quarters", got)
	}
	for i := range uint64(2*LogRecords + 3) {
		r, ok := n[1].ReadLog(i)
		if ok != (i > LogRecords && i <= 2*LogRecords) || ok && r.Length != uint32(i-1)%100 {
			t.Fatalf("record %d: %+v, %v", i, r, ok)
		}
	}
	post(t, n[0], Parcel{Protocol: RemoteRead, Rrid: 63, Dest: 1, Length: 3, Words: [3]uint64{uint64(BootstrapAt), uint64(LentFor(BootstrapAt))}}, make([]byte, 3))
	if got := n[0].Notice(63); got != (Notice{Sent, ReadDone}) {
		t.Errorf("%+v", got)
	}
	if n[0].Refused(numReasons); n[0].Sent(numCounts) != 0 || n[0].Interrupts(numCauses) != 0 || n[0].Synchronized(Sids) != 0 {
		t.Error("counts of nothing")
	}
}

// TestMessages: messages of each sender arrive in order, with their source, and intact.
func TestMessages(t *testing.T) {
	for which := range 2 {
		n := open(t, 3)
		r := n[2].Messages(which)
		for i := range 500 {
			from, data := i%2, pattern(i%(MaxPacket+1), byte(i))
			p := Parcel{Protocol: Message0 + Protocol(which), Dest: 2, Length: uint32(len(data)), Words: [3]uint64{uint64(LentFor(0))}}
			post(t, n[from], p, data)
			var in ring.Packet
			if ok, err := r.Poll(&in); !ok || err != nil || in.Peer != from || !bytes.Equal(in.Data, data) {
				t.Fatalf("message %d: %v, %v, %+v", i, ok, err, in)
			}
			r.Consume()
		}
		if pointer := n[2].BufferTable()[MessagePointer0+which]; pointer == 0 || pointer%64 != 0 {
			t.Errorf("message pointer %d", pointer)
		}
		if n[2].Interrupts(Message0Up+Cause(which)) == 0 {
			t.Error("no interrupt though the buffer filled")
		}
	}
	if n := open(t, 1)[0]; n.Messages(2) != nil {
		t.Error("a third message buffer")
	}
}

// TestAddressRegisters: one multicast writes to different addresses at its receivers.
func TestAddressRegisters(t *testing.T) {
	n := open(t, 4)
	dest, err := n[0].RegisterMulticast([]int{1, 2, 3})
	if err != nil {
		t.Fatal(err)
	}
	const registers, size = 3, 300
	at := func(i, register int) int { return register*20_000 + i*1000 }
	for i, c := range n[1:] {
		for register := range registers {
			if !c.SetAddressRegister(register, BootstrapAt+Address(at(i, register))) {
				t.Fatal("no such register")
			}
		}
		if c.SetAddressRegister(registers, 0) || c.SetAddressRegister(-1, 0) {
			t.Error("more than three registers")
		}
	}
	p := Parcel{Type: Multicast, Dest: dest, Length: size, Words: [3]uint64{uint64(LentFor(0))}}
	for register := range registers {
		data := pattern(size, byte(register))
		p.Protocol = DMARegister0 + Protocol(register)
		post(t, n[0], p, data)
		for i, c := range n[1:] {
			if !bytes.Equal(c.Bootstrap()[at(i, register):][:size], data) {
				t.Errorf("register %d of node %d", register, i+1)
			}
		}
	}
	// At one node the address is beyond the area: the other nodes still receive the data.
	n[2].SetAddressRegister(2, BootstrapAt+bootstrapBytes-8)
	var r *Refusal
	if err := n[0].Post(&p, pattern(size, 77)); !errors.Is(err, Beyond) || !errors.As(err, &r) || r.Node != 2 {
		t.Error(err)
	}
	for _, i := range []int{0, 2} {
		if !bytes.Equal(n[i+1].Bootstrap()[at(i, 2):][:size], pattern(size, 77)) {
			t.Errorf("node %d has not got it", i+1)
		}
	}
	// An address that is not aligned to a word, which the Sender does not know.
	n[1].SetAddressRegister(0, BootstrapAt+3)
	p = Parcel{Protocol: DMARegister0, Dest: 1, Length: 9, Words: [3]uint64{uint64(LentFor(0))}}
	if err := n[0].Post(&p, make([]byte, 9)); !errors.Is(err, Misplaced) {
		t.Error(err)
	}
}

// TestHeadersAreGivenBack: entries of the header tables, and synchronization IDs, can be reused
// after their set has ended.
func TestHeadersAreGivenBack(t *testing.T) {
	n := open(t, 3)[0]
	for range 2 * multicastSets {
		d, err := n.RegisterMulticast([]int{0, 2})
		if err != nil {
			t.Fatal(err)
		}
		s, err := n.RegisterSynchronization([]int{0, 2}, 5)
		if err != nil || n.FreeSid(6) != 0 || n.FreeSid(0) != -1 {
			t.Fatal(err, n.FreeSid(6))
		}
		if err := errors.Join(n.UnregisterMulticast(d), n.UnregisterSynchronization(s, true)); err != nil {
			t.Fatal(err)
		}
		for name, err := range map[string]error{
			"multicast again":       n.UnregisterMulticast(d),
			"synchronization again": n.UnregisterSynchronization(s, true),
			"multicast sent":        n.Post(&Parcel{Type: Multicast, Protocol: RemoteDMA, Flags: Inline, Dest: d, Length: 8, Words: [3]uint64{1, uint64(BootstrapAt)}}, nil),
		} {
			if !errors.Is(err, NoEntry) {
				t.Fatalf("%s: %v", name, err)
			}
		}
		if err := n.Post(&Parcel{Type: Synchronization, Dest: s}, nil); !errors.Is(err, NoSet) {
			t.Fatal(err)
		}
	}
	if err := n.Close(); err != nil {
		t.Fatal(err)
	}
	if err := n.UnregisterMulticast(0); !errors.Is(err, Closed) {
		t.Error(err)
	}
}
