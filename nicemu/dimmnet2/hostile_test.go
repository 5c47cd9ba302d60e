package dimmnet2

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math/rand/v2"
	"testing"

	"rhinet/internal/ring"
	"rhinet/nicemu/fabric"
)

// memory returns everything that a packet could change at a process, except the counts of refusals.
func (n *NIC) memory() []byte {
	return append(append([]byte{}, n.f.Bytes(n.rank, fabric.Device)...), n.f.Bytes(n.rank, fabric.Public)[pubRights*8:]...)
}

// TestHostileBOTF: each packet that a process may not send is refused for the right reason, counted
// at both ends, and changes nothing.
func TestHostileBOTF(t *testing.T) {
	write := func(m Memory, at uint32, n int) Packet {
		return Packet{Op: PacketWrite, Memory: m, Address: at, Data: make([]byte, n)}
	}
	read := func(at uint32, r Request, data []byte) Packet {
		return Packet{Op: PacketRead, Memory: InDIMM, Address: at, Request: r, Data: data}
	}
	for name, c := range map[string]struct {
		p    Packet
		want Reason
	}{
		"no operation":         {Packet{Data: make([]byte, 8)}, NoOperation},
		"unknown operation":    {Packet{Op: 99, Data: make([]byte, 8)}, NoOperation},
		"beyond the windows":   {write(InPW, 2048, 8), Outside},
		"across windows":       {write(InPW, 508, 8), Outside},
		"far beyond":           {write(InPW, 1<<31, 8), Outside},
		"below the SO-DIMM":    {write(InDIMM, 0, 8), Outside},
		"end of the SO-DIMM":   {write(InDIMM, ModuleBytes+module-4, 8), Outside},
		"beyond all":           {write(InDIMM, 1<<32-4, 8), Outside},
		"the status ring":      {write(InLLCM, 0, 8), Outside},
		"the receive ring":     {write(InLLCM, BuffersAt-8, 8), Outside},
		"end of the LLCM":      {write(InLLCM, BuffersEnd-4, 8), Outside},
		"the other's LLCM":     {write(InLLCM, BuffersEnd+8, 8), Outside},
		"short record":         {Packet{Op: PacketIPUSH, Data: make([]byte, RecordHead-1)}, BadRequest},
		"read windows":         {Packet{Op: PacketRead, Memory: InPW, Request: Request{Length: 8}}, Outside},
		"read beyond":          {read(ModuleBytes+module-4, Request{Length: 8}, nil), Outside},
		"read the other's":     {read(0, Request{Length: 8}, nil), Outside},
		"read too much":        {read(ModuleBytes, Request{Length: PacketBytes + 1}, nil), BadRequest},
		"no pattern":           {read(ModuleBytes, Request{Length: 8, Pattern: 3, Element: 8}, nil), BadRequest},
		"no element":           {read(ModuleBytes, Request{Length: 8, Pattern: Strided}, make([]byte, 8)), BadRequest},
		"broken element":       {read(ModuleBytes, Request{Length: 9, Pattern: Strided, Element: 4}, make([]byte, 8)), BadRequest},
		"no stride":            {read(ModuleBytes, Request{Length: 8, Pattern: Strided, Element: 4}, nil), BadRequest},
		"stride beyond":        {read(ModuleBytes, Request{Length: 8, Pattern: Strided, Element: 4}, []byte{0, 0, 1, 0, 0, 0, 0, 0}), Outside},
		"short list":           {read(ModuleBytes, Request{Length: 8, Pattern: List, Element: 4}, make([]byte, 4)), BadRequest},
		"list of the other's":  {read(ModuleBytes, Request{Length: 4, Pattern: List, Element: 4}, make([]byte, 4)), Outside},
		"pattern on the LLCM":  {Packet{Op: PacketRead, Memory: InLLCM, Address: BuffersAt, Request: Request{Length: 8, Pattern: Strided, Element: 8}, Data: make([]byte, 8)}, BadRequest},
		"read the status ring": {Packet{Op: PacketRead, Memory: InLLCM, Request: Request{Length: 8}}, Outside},
	} {
		_, goroutines := open(t, 4)
		for kind, n := range map[string][]*NIC{"goroutines": goroutines, "processes": mapped(t, 4)} {
			hostile, victim := n[0], n[3]
			before := victim.memory()
			c.p.Node, c.p.Process = 1, 1
			err := hostile.testSend(&c.p)
			own, _ := hostile.Refused(c.want)
			_, arrived := victim.Refused(c.want)
			if !errors.Is(err, c.want) || own != 1 || arrived != 1 {
				t.Errorf("%s, %s: %v, counted %d and %d; want %v", kind, name, err, own, arrived, c.want)
			}
			if !bytes.Equal(before, victim.memory()) {
				t.Errorf("%s, %s: the victim's memory has changed", kind, name)
			}
		}
	}
}

// TestForgedReplies: the answer to a request to read goes to memory of the requesting process,
// whatever the packet says.
func TestForgedReplies(t *testing.T) {
	_, n := open(t, 4)
	for _, r := range []Request{
		{Length: 8, Memory: InPW, Reply: 4096}, {Length: 8, Memory: InDIMM, Reply: ModuleBytes}, {Length: 8, Memory: InLLCM, Reply: 8}, {Length: 8, Memory: 7},
	} {
		p := Packet{Op: PacketRead, Memory: InDIMM, Node: 1, Process: 1, Address: ModuleBytes, From: 1, Request: r}
		before := append(n[1].memory(), n[3].memory()...)
		if err := n[0].testSend(&p); !errors.Is(err, Outside) {
			t.Errorf("%+v: %v", r, err)
		}
		if !bytes.Equal(before, append(n[1].memory(), n[3].memory()...)) {
			t.Errorf("%+v changes others", r)
		}
	}
	if _, arrived := n[0].Refused(Outside); arrived != 4 {
		t.Errorf("%d answers refused", arrived)
	}
}

// TestRandomImages: no image, command or store writes a byte at a process of another group, or ends
// a process.
func TestRandomImages(t *testing.T) {
	boss, n := open(t, 4)
	boss.Group(2, 9)
	victim := n[2]
	rng := rand.New(rand.NewPCG(3, 4))
	before := victim.memory()
	noise := func(size int) []byte {
		b := make([]byte, size)
		for i := range b {
			b[i] = byte(rng.Uint32())
		}
		return b
	}
	met := map[Reason]int{}
	for range 20_000 {
		p := Packet{
			Op: PacketOp(rng.IntN(5)), Memory: Memory(rng.IntN(3)), Node: 1 - rng.IntN(2)*rng.IntN(2), Process: rng.IntN(2) * rng.IntN(2), Group: uint16(9 * rng.IntN(2)),
			From: rng.IntN(5), Address: rng.Uint32() >> rng.IntN(32), Data: noise(rng.IntN(480)),
			Request: Request{rng.IntN(3000), Pattern(rng.IntN(4)), rng.IntN(10), Memory(rng.IntN(4)), rng.Uint32() >> rng.IntN(32)},
		}
		image := p.Image()
		if rng.IntN(2) == 0 {
			copy(image, noise(rng.IntN(25)))
		}
		c := Command{Op: OpBOTF, Lines: min((len(image)+7)/8+rng.IntN(3), 80)}
		if rng.IntN(4) == 0 {
			c = Command{
				Op: Op(rng.IntN(12)), Pattern: Pattern(rng.IntN(4)), Window: rng.IntN(9), Node: 1, Length: rng.IntN(5000), Flags: uint8(rng.IntN(4)),
				Local: uint32(rng.IntN(module)), Remote: rng.Uint32() >> rng.IntN(32),
			}
		}
		for _, err := range []error{
			n[0].Store(n[0].WriteWindow(0), image[:min(len(image), WindowBytes)]), n[0].Store(Address(rng.Uint32()>>rng.IntN(32)), noise(rng.IntN(40))),
			n[0].Store(RegList.At(0), noise(8)), n[0].Issue(&c),
		} {
			var why Reason
			if errors.As(err, &why); err != nil && why == 0 {
				t.Fatal(err)
			}
			met[why]++
		}
	}
	if !bytes.Equal(before, victim.memory()) {
		t.Error("the memory of another group has changed")
	}
	if met[WrongGroup] < 1000 || met[0] < 1000 {
		t.Error(met)
	}
}

// TestNoiseInRings: whatever others write over the rings of a process, its reads end, and writers
// are refused or succeed.
func TestNoiseInRings(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	met := map[Reason]int{}
	for range 1000 {
		_, n := open(t, 2)
		records := n[1].Records()
		send := func() {
			for _, p := range []Packet{
				{Op: PacketIPUSH, Process: 1, Data: make([]byte, 24+rng.IntN(100))},
				{Op: PacketWrite, Process: 1, Memory: InLLCM, Address: BuffersAt, Data: make([]byte, 8)},
			} {
				var why Reason
				if err := n[0].testSend(&p); err != nil && !errors.As(err, &why) {
					t.Fatal(err)
				}
				met[why]++
			}
		}
		send()
		words := fabric.WordsOf(n[1].own.llcm[:BuffersAt])
		for range rng.IntN(4) {
			at := []int{statusHead / 8, statusReleased / 8, statusAt / 8, ipushAt / 8, ipushAt/8 + 32, rng.IntN(len(words))}[rng.IntN(6)]
			words[at] = rng.Uint64() >> rng.IntN(64)
		}
		send()
		for range 2 * statusEntries {
			n[1].Poll()
		}
		var p ring.Packet
		for range 2 * RecordLines {
			ok, err := records.Poll(&p)
			if err != nil || !ok {
				break
			}
			records.Consume()
		}
	}
	for _, why := range []Reason{0, RingBroken} {
		if met[why] == 0 {
			t.Errorf("%v: %v", why, met)
		}
	}
}

// TestHeldRight: a process that keeps a write right blocks writes to that place only.
func TestHeldRight(t *testing.T) {
	_, n := open(t, 2)
	for i := range numRights {
		right := n[1].own.right(i)
		*right = 1
		for to, want := range map[int]Reason{min(i, ownPrefetch-1): Held, (i + 1) % ownPrefetch: 0} {
			if i == ownPrefetch {
				want = Held // all of them write statuses
			}
			p := Packet{Op: PacketWrite, Process: 1, Address: uint32(to * WindowBytes), Data: make([]byte, 8)}
			if err := n[0].testSend(&p); want == 0 && err != nil || want != 0 && !errors.Is(err, want) {
				t.Errorf("right %d is held, window %d: %v", i, to, err)
			}
			if p.Quiet = true; i == ownPrefetch {
				if err := n[0].testSend(&p); err != nil {
					t.Errorf("without a status: %v", err)
				}
			}
		}
		*right = 0
	}
	*n[0].own.right(2) = 9
	if err := n[0].Issue(&Command{Op: OpRead, Window: 2, Length: 8}); !errors.Is(err, Held) {
		t.Error(err)
	}
}

// TestFullRings: a full ring refuses before a byte moves, and has room again after it was read;
// positions do not wrap too early.
func TestFullRings(t *testing.T) {
	_, n := open(t, 2)
	p := Packet{Op: PacketWrite, Process: 1, Memory: InLLCM, Address: BuffersAt, Data: make([]byte, 8)}
	for i := range uint64(3*statusEntries + 5) {
		binary.LittleEndian.PutUint64(p.Data, i)
		if err := n[0].testSend(&p); err != nil {
			t.Fatal(i, err)
		}
		if i%statusEntries != statusEntries-1 {
			continue
		}
		binary.LittleEndian.PutUint64(p.Data, 1<<40)
		if err := n[0].testSend(&p); !errors.Is(err, StatusFull) || binary.LittleEndian.Uint64(n[1].Buffers()) != i {
			t.Fatal(i, err)
		}
		for k := range statusEntries {
			if s, ok := n[1].Poll(); !ok || s.Bytes != 8 || s.Address != BuffersAt || s.Memory != InLLCM {
				t.Fatal(k, s, ok)
			}
		}
	}
	q := Packet{Op: PacketIPUSH, Process: 1, Data: make([]byte, 24)}
	sent := 0
	for ; n[0].testSend(&q) == nil; sent++ {
	}
	if sent != RecordLines {
		t.Errorf("%d records in %d lines", sent, RecordLines)
	}
	if err := n[0].testSend(&q); !errors.Is(err, RingFull) {
		t.Error(err)
	}
}
