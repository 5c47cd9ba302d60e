package tofu

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"rhinet/internal/ring"
	"rhinet/nicemu/fabric"
)

// A victim is a node with memory that others may access, and memory that they may not.
type victim struct {
	*NIC
	mem                       []byte // open is its middle part
	open, stale, read, nobody Tag
}

func newVictim(t *testing.T, n *NIC) *victim {
	t.Helper()
	v := &victim{NIC: n, mem: pattern(3<<10, 1)}
	v.open = register1(t, n, v.mem[1<<10:2<<10], MayPut|MayGet)
	v.read = register1(t, n, v.mem[:1<<10], MayGet)
	v.nobody = register1(t, n, v.mem[2<<10:], 0)
	v.stale = register1(t, n, v.mem[1<<10:2<<10], MayPut|MayGet)
	if err := n.Withdraw(v.stale); err != nil {
		t.Fatal(err)
	}
	return v
}

// memory returns everything that another rank could change: the victim's own memory, and its part
// of the job's memory, except the counts of refusals.
func (v *victim) memory() []byte {
	all := slices.Clone(v.mem)
	for _, a := range []fabric.Area{fabric.Device, fabric.Public, fabric.Control, fabric.Shared, fabric.Rings} {
		b := v.f.Bytes(v.rank, a)
		if a == fabric.Public {
			b = b[pubHolds*8:]
		}
		all = append(all, b...)
	}
	return append(all, fabric.LineBytes(&v.f.Flags()[fabric.FlagFront*1])[:]...)
}

// attacks lists orders that are refused, with the reasons.
func (v *victim) attacks() map[string]struct {
	o    Order
	want Reason
} {
	type attack = struct {
		o    Order
		want Reason
	}
	b := func(n int) []byte { return pattern(n, 99) }
	all := map[string]attack{
		"no command":          {Order{Local: b(8), Tag: v.open}, NoCommand},
		"unknown command":     {Order{Command: numCommands, Local: b(8), Tag: v.open}, NoCommand},
		"a registration":      {Order{Command: register, Local: b(8), Tag: v.open}, NoCommand},
		"notice of a get":     {Order{Command: Get, Local: b(8), Tag: v.open, Notify: true}, NoCommand},
		"notice of a swap":    {Order{Command: Swap, Tag: TagControl, Notify: true}, NoCommand},
		"too long a direct":   {Order{Command: Direct, Local: b(65), Tag: v.open}, WrongLength},
		"askew swap":          {Order{Command: Swap, Tag: TagControl, Offset: 4}, Misplaced},
		"swap of a process":   {Order{Command: Swap, Tag: v.open}, NoRight},
		"swap of rings":       {Order{Command: Swap, Tag: TagRings}, NoRight},
		"swap of flags":       {Order{Command: Swap, Tag: TagFlagArrays}, NoRight},
		"put on flags":        {Order{Command: Put, Local: b(64), Tag: TagFlagArrays}, NoRight},
		"put on control":      {Order{Command: Direct, Local: b(8), Tag: TagControl}, NoRight},
		"put on read":         {Order{Command: Put, Local: b(8), Tag: v.read}, NoRight},
		"get of nobody's":     {Order{Command: Get, Local: b(8), Tag: v.nobody}, NoRight},
		"put on nobody's":     {Order{Command: Put, Local: b(8), Tag: v.nobody}, NoRight},
		"withdrawn":           {Order{Command: Put, Local: b(8), Tag: v.stale}, Stale},
		"withdrawn get":       {Order{Command: Get, Local: b(8), Tag: v.stale}, Stale},
		"withdrawn nothing":   {Order{Command: Put, Tag: v.stale}, Stale},
		"next generation":     {Order{Command: Put, Local: b(8), Tag: v.open + 1<<32}, Stale},
		"generation 0":        {Order{Command: Put, Local: b(8), Tag: v.open & math.MaxUint32}, NoTag},
		"never registered":    {Order{Command: Put, Local: b(8), Tag: 1<<32 | Tags - 1}, NoTag},
		"beyond the table":    {Order{Command: Put, Local: b(8), Tag: 1<<32 | Tags}, NoTag},
		"far beyond it":       {Order{Command: Put, Local: b(8), Tag: 1<<32 | math.MaxUint32}, NoTag},
		"no tag":              {Order{Command: Get, Local: b(8)}, NoTag},
		"unused static":       {Order{Command: Put, Local: b(8), Tag: 1<<32 | 5}, NoTag},
		"at the end":          {Order{Command: Put, Local: b(1), Tag: v.open, Offset: 1 << 10}, Beyond},
		"across the end":      {Order{Command: Put, Local: b(9), Tag: v.open, Offset: 1<<10 - 8}, Beyond},
		"longer than all":     {Order{Command: Get, Local: b(1<<10 + 1), Tag: v.open}, Beyond},
		"before the start":    {Order{Command: Put, Local: b(16), Tag: v.open, Offset: math.MaxUint64 - 7}, Beyond},
		"far away":            {Order{Command: Get, Local: b(8), Tag: v.open, Offset: 1 << 62}, Beyond},
		"swap beyond":         {Order{Command: Swap, Tag: TagControl, Offset: uint64(len(v.f.Bytes(0, fabric.Control)))}, Beyond},
		"swap far beyond":     {Order{Command: Swap, Tag: TagControl, Offset: 1<<64 - 8}, Beyond},
		"notice of a refusal": {Order{Command: Put, Local: b(9), Tag: v.open, Offset: 1<<10 - 8, Notify: true}, Beyond},
	}
	for _, node := range []int{-1, v.ranks, math.MaxInt} {
		all[fmt.Sprintf("node %d", node)] = attack{Order{Command: Put, Node: node - v.rank, Local: b(8), Tag: v.open}, NoNode}
	}
	return all
}

// TestHostileOrders: each order that a rank may not post is refused for the right reason, counted,
// and changes nothing at the victim or in the hostile rank's buffer.
func TestHostileOrders(t *testing.T) {
	for name, n := range map[string][]*NIC{"goroutines": open(t, 3), "processes": mapped(t, 3, Options{})} {
		v, hostile := newVictim(t, n[1]), n[2]
		v.f.Flags()[fabric.FlagFront*1][3] = 77
		for attack, c := range v.attacks() {
			before, local := v.memory(), slices.Clone(c.o.Local)
			c.o.Node += v.rank
			own, _ := hostile.Refused(c.want)
			_, arrived := v.Refused(c.want)
			_, err := hostile.Port(1).Post(&c.o)
			var r *Refusal
			if !errors.Is(err, c.want) || !errors.As(err, &r) || r.Moved != 0 || r.Node != c.o.Node {
				t.Errorf("%s: %s: %v, want %v", name, attack, err, c.want)
			}
			if !bytes.Equal(before, v.memory()) || !bytes.Equal(local, c.o.Local) {
				t.Fatalf("%s: %s: bytes moved", name, attack)
			}
			own2, _ := hostile.Refused(c.want)
			if _, arrived2 := v.Refused(c.want); own2 != own+1 || arrived2-arrived != map[bool]uint64{true: 1}[c.want.arrived()] {
				t.Errorf("%s: %s: counted %d, %d", name, attack, own2-own, arrived2-arrived)
			}
		}
		if _, arrived := v.Refused(numReasons); arrived != 0 {
			t.Error("a reason that is none is counted")
		}
	}
}

// TestForgedTags tries every number and many generations: only registered memory can be accessed.
func TestForgedTags(t *testing.T) {
	n := open(t, 2)
	v := newVictim(t, n[0])
	valid := map[Tag]bool{v.open: true, v.read: true, TagRings: true, TagBootstrap: true, TagControl: true, TagFlagArrays: true}
	b := make([]byte, 1)
	for number := range uint64(Tags + 100) {
		for _, gen := range []uint64{0, 1, 2, 3, 1 << 31, math.MaxUint32} {
			tag := Tag(gen<<32 | number)
			_, err := n[1].Port(0).Post(&Order{Command: Get, Node: 0, Tag: tag, Local: b})
			if (err == nil) != valid[tag] {
				t.Fatalf("tag %v: %v", tag, err)
			}
		}
	}
}

// TestStaleNamesStayStale: a reused tag has another name.
func TestStaleNamesStayStale(t *testing.T) {
	n := open(t, 2)
	seen := map[Tag]bool{}
	for range 100 {
		tag := register1(t, n[0], make([]byte, 8), MayPut)
		if seen[tag] {
			t.Fatalf("tag %v again", tag)
		}
		seen[tag] = true
		if err := n[0].Withdraw(tag); err != nil {
			t.Fatal(err)
		}
		if err := n[0].Withdraw(tag); !errors.Is(err, Misuse) {
			t.Errorf("withdrawn twice: %v", err)
		}
	}
	for _, tag := range []Tag{0, TagRings, TagBootstrap, 1<<32 | Tags, 1<<32 | 77} {
		if err := n[0].Withdraw(tag); !errors.Is(err, Misuse) {
			t.Errorf("tag %v withdrawn: %v", tag, err)
		}
	}
	// The generation wraps around; 0 is never a generation.
	e := n[0].own.entry(firstTag)
	e.store(entState, math.MaxUint32<<entGenShift)
	if tag := register1(t, n[0], make([]byte, 8), MayPut); tag.Number() != firstTag || tag.Generation() != 1 {
		t.Errorf("after the last generation: %v", tag)
	}
}

// TestFullTable: all tags can be used, but no more, and they can be reused after their return.
func TestFullTable(t *testing.T) {
	n := open(t, 1)[0]
	for range 2 {
		var tags []Tag
		for {
			tag, err := n.Register(make([]byte, 8), MayPut)
			if errors.Is(err, TableFull) {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			tags = append(tags, tag)
		}
		if len(tags) != Tags-firstTag {
			t.Fatalf("%d tags", len(tags))
		}
		for _, tag := range tags {
			if err := n.Withdraw(tag); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// TestOverrunNotices: a full queue of notices refuses puts that request a notice, before a byte
// moves; other puts succeed, and the contents of the queue stay intact.
func TestOverrunNotices(t *testing.T) {
	n := open(t, 3)
	v := newVictim(t, n[0])
	r := v.Notices()
	for round := range uint64(3) {
		sent := 0
		for ; ; sent++ {
			before := slices.Clone(v.mem)
			_, err := n[1+sent%2].Port(0).Post(&Order{
				Command: Put, Node: 0, Tag: v.open, Local: pattern(100, byte(sent)), Notify: true, Immediate: [3]uint64{2: uint64(sent)},
			})
			if err == nil {
				continue
			}
			if !errors.Is(err, QueueFull) || !bytes.Equal(before, v.mem) {
				t.Fatalf("notice %d: %v", sent, err)
			}
			break
		}
		if lines := v.f.Geometry().Shared.Lines; sent != lines {
			t.Errorf("round %d: %d notices in a queue of %d lines", round, sent, lines)
		}
		post(t, n[1].Port(0), Order{Command: Put, Node: 0, Tag: v.open, Local: pattern(100, 1)})
		for i := range sent {
			var p ring.Packet
			if ok, err := r.Poll(&p); !ok || err != nil || p.Head[2] != uint64(i) || p.Peer != 1+i%2 {
				t.Fatalf("notice %d: %v, %v, %+v", i, ok, err, p)
			}
			r.Consume()
		}
	}
	if _, arrived := v.Refused(QueueFull); arrived != 3 {
		t.Errorf("%d refusals", arrived)
	}
}

// TestBrokenQueue: a queue whose words were overwritten refuses, and its reader detects it.
func TestBrokenQueue(t *testing.T) {
	n := open(t, 2)
	v := newVictim(t, n[0])
	before := slices.Clone(v.mem)
	v.f.Words(0, fabric.Shared)[0] = 1 << 40
	if _, err := n[1].Port(0).Post(&Order{Command: Put, Node: 0, Tag: v.open, Local: pattern(100, 1), Notify: true}); !errors.Is(err, QueueBroken) {
		t.Error(err)
	}
	if !bytes.Equal(before, v.mem) {
		t.Error("bytes moved")
	}
}

// TestNoise: an owner whose table holds noise harms only itself. Orders to it are refused, or
// access its own memory or memory that all ranks may write.
func TestNoise(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	for range 20 {
		n := open(t, 3)
		v, other := newVictim(t, n[0]), newVictim(t, n[2])
		before := slices.Clone(other.mem)
		tables := slices.Clone(other.own.tables)
		for number := range Tags {
			e := v.own.entry(number)
			for i := 1; i < entryWords; i++ {
				e.store(i, rng.Uint64()>>rng.IntN(64))
			}
			if number%3 == 0 { // as if the owner had written it
				r := region{v.key, rng.Uint64() >> rng.IntN(64), rng.Uint64() >> rng.IntN(64), rng.Uint64()}
				e.write(&r, Tag(1<<32|uint64(number)))
			}
		}
		for i := range 3000 {
			o := Order{
				Command: Command(rng.IntN(int(numCommands) + 1)), Tag: Tag(1<<32 | rng.Uint64N(Tags)), Offset: rng.Uint64() >> rng.IntN(64),
				Local: make([]byte, rng.IntN(200)), Notify: i%5 == 0,
			}
			if o.Command == Put || o.Command == Direct {
				o.Local = nil // memory of the job there belongs to others
			}
			if o.Command == Swap {
				o.Old, o.New = 1, 1
			}
			_, _ = n[1].Port(0).Post(&o)
			_, _ = n[1].Port(0).Way(0, o.Tag)
		}
		if !bytes.Equal(before, other.mem) || !slices.Equal(tables, other.own.tables) {
			t.Fatal("another rank was harmed")
		}
		for number := range Tags {
			v.own.entry(number).store(entState, 0)
		}
	}
}

// TestOverwrittenEntry: an entry that is not as its owner sealed it is refused.
func TestOverwrittenEntry(t *testing.T) {
	n := open(t, 2)
	v := newVictim(t, n[0])
	for _, word := range []int{entKey, entStart, entSize, entRights, entSeal} {
		for _, bit := range []uint64{1, 1 << 20, 1 << 40, 1 << 63} {
			e := v.own.entry(v.open.Number())
			was := e.load(word)
			e.store(word, was^bit)
			_, err := n[1].Port(0).Post(&Order{Command: Get, Node: 0, Tag: v.open, Local: make([]byte, 8)})
			if !errors.Is(err, Overwritten) && (word != entKey || !errors.Is(err, WrongJob)) {
				t.Errorf("word %d, bit %#x: %v", word, bit, err)
			}
			e.store(word, was)
		}
	}
	post(t, n[1].Port(0), Order{Command: Get, Node: 0, Tag: v.open, Local: make([]byte, 8)})
}

// TestOtherJob: a tag of another job's process is refused.
func TestOtherJob(t *testing.T) {
	n := open(t, 2)
	v := newVictim(t, n[0])
	r := region{makeKey(n[0].f.Job()+1, 0), 0, 64, uint64(MayGet) | inJob}
	v.own.entry(v.open.Number()).write(&r, v.open)
	if _, err := n[1].Port(0).Post(&Order{Command: Get, Node: 0, Tag: v.open, Local: make([]byte, 8)}); !errors.Is(err, WrongJob) {
		t.Error(err)
	}
}

// TestWayEndsWithItsTag: a way is valid only as long as its tag.
func TestWayEndsWithItsTag(t *testing.T) {
	n := open(t, 2)
	w, err := n[1].Port(0).Way(0, TagBootstrap)
	if err != nil {
		t.Fatal(err)
	}
	e := n[0].own.entry(numBootstrap)
	e.store(entState, 2<<entGenShift|entValid)
	before := slices.Clone(n[0].Bootstrap())
	for _, err := range []error{w.Line(0, &ring.Line{1}), w.Put(0, []byte{1}), second(w.Get(0))} {
		if !errors.Is(err, Stale) {
			t.Error(err)
		}
	}
	if !bytes.Equal(before, n[0].Bootstrap()) {
		t.Error("bytes moved")
	}
}

// TestWithdrawWaits: once Withdraw has returned, orders in progress write nothing more.
func TestWithdrawWaits(t *testing.T) {
	n := open(t, 2)
	mem, out := make([]byte, 4<<20), pattern(4<<20, 1)
	for range 20 {
		tag := register1(t, n[0], mem, MayPut)
		var wg sync.WaitGroup
		wg.Go(func() {
			for {
				if _, err := n[1].Port(0).Post(&Order{Command: Put, Node: 0, Tag: tag, Local: out}); err != nil {
					if !errors.Is(err, Stale) {
						t.Error(err)
					}
					return
				}
			}
		})
		time.Sleep(time.Millisecond)
		if err := n[0].Withdraw(tag); err != nil {
			t.Error(err)
		}
		clear(mem)
		wg.Wait()
		if !bytes.Equal(mem, make([]byte, len(mem))) {
			t.Fatal("written after Withdraw")
		}
	}
}

// TestTransferThatDoesNotEnd: memory that a dead rank holds stays pinned, later waits are short,
// and the tag is not reused.
func TestTransferThatDoesNotEnd(t *testing.T) {
	n := open(t, 2)
	var stuck []Tag
	for range 2 {
		tag := register1(t, n[0], make([]byte, 8), MayPut)
		if why := n[0].own.hold(tag); why != 0 {
			t.Fatal(why)
		}
		stuck = append(stuck, tag)
	}
	if err := n[0].Withdraw(stuck[0]); !errors.Is(err, InUse) {
		t.Error(err)
	}
	start := time.Now()
	if err := n[0].Withdraw(stuck[1]); !errors.Is(err, InUse) || time.Since(start) > fabric.DrainLimit/2 {
		t.Errorf("%v after %v", err, time.Since(start))
	}
	if tag := register1(t, n[0], make([]byte, 8), MayPut); tag.Number() == stuck[0].Number() || tag.Number() == stuck[1].Number() {
		t.Errorf("tag %v again", tag)
	}
	_ = register1(t, n[0], make([]byte, 8), MayPut)
	if err := n[0].Close(); err != nil {
		t.Error(err)
	}
}

// TestWithoutAttach: private memory of other processes is refused, memory of the job is not, and
// callers can tell this refusal, for which another way may work, from others.
func TestWithoutAttach(t *testing.T) {
	n := mapped(t, 2, Options{Attach: fabric.AttachOff})
	v := newVictim(t, n[0])
	before := slices.Clone(v.mem)
	_, err := n[1].Port(0).Post(&Order{Command: Put, Node: 0, Tag: v.open, Local: make([]byte, 8)})
	if !errors.Is(err, NoAccess) || !errors.Is(err, fs.ErrPermission) || !bytes.Equal(before, v.mem) {
		t.Error(err)
	}
	post(t, n[1].Port(0), Order{Command: Put, Node: 0, Tag: TagBootstrap, Local: make([]byte, 8)})
	post(t, n[0].Port(0), Order{Command: Get, Node: 0, Tag: v.open, Local: make([]byte, 8)}) // its own
}

// TestProcessThatHasEnded: the reason differs from that for memory that does not exist.
func TestProcessThatHasEnded(t *testing.T) {
	n := mapped(t, 2, Options{})
	if !n[0].Remote() {
		t.Skip("this kernel refuses cross-memory attach")
	}
	v := newVictim(t, n[0])
	v.f.Leave(0)
	var r *Refusal
	if _, err := n[1].Port(0).Post(&Order{Command: Get, Node: 0, Tag: v.open, Local: make([]byte, 8)}); !errors.Is(err, Gone) || !errors.As(err, &r) || r.Error() == "" {
		t.Error(err)
	}
	nowhere := region{v.key, 1 << 46, 64, uint64(MayGet | MayPut)}
	if err := v.f.Enter(0); err != nil {
		t.Fatal(err)
	}
	v.own.entry(v.read.Number()).write(&nowhere, v.read)
	if _, err := n[1].Port(0).Post(&Order{Command: Get, Node: 0, Tag: v.read, Local: make([]byte, 8)}); !errors.Is(err, Fault) || !errors.As(err, &r) || r.Cause == nil || r.Moved != 0 {
		t.Error(err)
	}
	// A failed put writes no notice, and the queue is free for the next one.
	told := Order{Command: Put, Node: 0, Tag: v.read, Local: make([]byte, 8), Notify: true}
	if _, err := n[1].Port(0).Post(&told); !errors.Is(err, Fault) || v.Notices().Ready() {
		t.Error(err)
	}
	told.Tag = TagBootstrap
	post(t, n[1].Port(0), told)
}

// TestTexts: every reason and command has a text.
func TestTexts(t *testing.T) {
	for r := range numReasons {
		if r != 0 && reasonTexts[r] == "" {
			t.Errorf("reason %d has no text", r)
		}
	}
	for c := range numCommands {
		if commands[c].name == "" || c.String() != commands[c].name {
			t.Errorf("command %d has no name", c)
		}
	}
	if numReasons.Error() != fmt.Sprintf("reason %d", numReasons) || numCommands.String() != "unknown command" {
		t.Error("words for what is none")
	}
}
