package martini

import (
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"

	"rhinet/nicemu/fabric"
)

// TestOnlyTheManagerRegisters is the rule of section 8.5: a process of a managed job has the
// identity with which it was registered, once.
func TestOnlyTheManagerRegisters(t *testing.T) {
	f, err := fabric.Heap(2, fabric.Small())
	if err != nil {
		t.Fatal(err)
	}
	m, err := Manage(f)
	if err != nil {
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
		if n.Window(i).entry.load(winKey) != winValid|winOnce|makeKey(f.Job(), 1) {
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
	if err := m.Admit(1, 7); err != nil {
		t.Fatal(err)
	}
	if n, err = Open(f, 1, Options{Job: 7}); err != nil {
		t.Fatal(err)
	}
	if err := n.Close(); err != nil {
		t.Fatal(err)
	}
}

func TestManageNeedsMemory(t *testing.T) {
	g := fabric.Small()
	g.Device = fabric.PageBytes
	f, err := fabric.Heap(1, g)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Manage(f); err == nil {
		t.Error("without NIC memory")
	}
}

// methods returns the names of the exported methods and fields of a value's type.
func methods(v any) (names []string) {
	typ := reflect.TypeOf(v)
	for i := range typ.NumMethod() {
		names = append(names, typ.Method(i).Name)
	}
	for typ.Kind() == reflect.Pointer {
		typ = typ.Elem()
	}
	for i := range typ.NumField() {
		if f := typ.Field(i); f.IsExported() {
			names = append(names, f.Name)
		}
	}
	return names
}

// TestWhatAUserCanDo lists the operations of a process on its NIC. A new operation must be added
// here, if it is for users (martini, section 8.1) and is refused after Close (below), or must be
// put behind [Manager] or [Hardware].
func TestWhatAUserCanDo(t *testing.T) {
	for _, c := range []struct {
		of   any
		want string
	}{
		{&NIC{}, "FlagArrays Channel Close Common Conceal Expose ExposeHeld FlagWriter Flags Hold Mailbox MailReader MaxMail Move Next Packets Pin Raised Rank Ranks " +
			"Records Refused Register RegisterHeader RegisterPinned Release Remote RingLayout RingReader Unpin Window WithdrawHeader WriteAOTF"},
		{&Window{}, "Botf Contflag Flag InitLock Lock MoveBlocks Pull Push Read Store Swap Transmit Unlock Write"},
		{&Channel{}, "Attest Consumed Gather Outlet Put"},
		{&Mailbox{}, "Append Attest"},
		{&FlagWriter{}, "Audit Prefetch Raise"},
	} {
		want, got := strings.Fields(c.want), methods(c.of)
		slices.Sort(want)
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Errorf("%T: %v, want %v", c.of, got, want)
		}
	}
}

// TestNoWayFromANICToPrivilege follows the types of everything that a NIC's methods return or take,
// and of everything that can be had from those.
func TestNoWayFromANICToPrivilege(t *testing.T) {
	seen := map[reflect.Type]bool{}
	var visit func(typ reflect.Type, way string)
	visit = func(typ reflect.Type, way string) {
		if seen[typ] {
			return
		}
		seen[typ] = true
		switch typ {
		case reflect.TypeFor[*Manager](), reflect.TypeFor[Manager](), reflect.TypeFor[*Hardware](), reflect.TypeFor[Hardware](),
			reflect.TypeFor[*fabric.Fabric](), reflect.TypeFor[LockTable]():
			t.Errorf("%s leads to %v", way, typ)
			return
		}
		for i := range typ.NumMethod() {
			m := typ.Method(i)
			for k := range m.Type.NumOut() {
				visit(m.Type.Out(k), way+"."+m.Name)
			}
		}
		switch typ.Kind() {
		case reflect.Pointer, reflect.Slice, reflect.Array:
			visit(typ.Elem(), way)
		case reflect.Struct:
			for i := range typ.NumField() {
				if f := typ.Field(i); f.IsExported() {
					visit(f.Type, way+"."+f.Name)
				}
			}
		}
	}
	visit(reflect.TypeFor[*NIC](), "NIC")
	if len(seen) < 10 {
		t.Errorf("only %d types seen", len(seen))
	}
}

// TestTheManagersHandle: which processes can get it, and its arguments.
func TestTheManagersHandle(t *testing.T) {
	f, err := fabric.Heap(2, fabric.Small())
	if err != nil {
		t.Fatal(err)
	}
	m, err := Manage(f)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Manage(f); !errors.Is(err, ErrManaged) {
		t.Errorf("a second manager: %v", err)
	}
	n := open(t, 2)
	if _, err := Manage(n[0].f); !errors.Is(err, ErrManaged) || !strings.Contains(err.Error(), "rank 0 runs") {
		t.Errorf("a rank becomes manager: %v", err)
	}
	for name, err := range map[string]error{
		"no such rank":   m.Assign(2, 0, 1, 1),
		"rank below 0":   m.Assign(-1, 0, 1, 1),
		"no such Window": m.Invalidate(0, Windows),
		"nobody to let":  m.Admit(2, 1),
	} {
		if err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	for _, other := range []*NIC{nil, n[0]} {
		if _, err := m.Hardware(other); err == nil {
			t.Error("the inside of a NIC that is not the manager's")
		}
	}
}

// TestAManagerThatDiedInItsSetUp: a job whose manager died in its set-up does not begin.
func TestAManagerThatDiedInItsSetUp(t *testing.T) {
	t.Parallel()
	f, err := fabric.Heap(1, fabric.Small())
	if err != nil {
		t.Fatal(err)
	}
	*managed(f) = stateRising
	if _, err := Open(f, 0, Options{}); err == nil || !strings.Contains(err.Error(), "set-up") || f.Process(0) != 0 {
		t.Error(err)
	}
}

// TestNothingWorksAfterClose tries every operation of a closed NIC, with handles from before and
// with new ones; then again when its Windows belong to another process of the job, which must not
// share them with the first.
func TestNothingWorksAfterClose(t *testing.T) {
	f, err := fabric.Heap(2, fabric.Small())
	if err != nil {
		t.Fatal(err)
	}
	m, err := Manage(f)
	if err != nil {
		t.Fatal(err)
	}
	var all [2]*NIC
	for i := range all {
		if all[i], err = Open(f, i, Options{}); err != nil {
			t.Fatal(err)
		}
	}
	n, w, b := all[0], all[0].Window(1), make([]byte, 64)
	target, err := all[1].Expose(make([]byte, 64))
	if err != nil {
		t.Fatal(err)
	}
	own, err1 := n.Expose(b)
	pin, err2 := n.Pin(b)
	ch, err3 := n.Channel(w, 1, 0)
	mail, err4 := n.Mailbox(w, 1)
	writer, err5 := n.FlagWriter(w)
	if err := errors.Join(err1, err2, err3, err4, err5, n.RegisterHeader(1, Header{Node: 1, Segment: target}), w.InitLock(0, 0, CommonSegment, 0)); err != nil {
		t.Fatal(err)
	}
	flags := n.Flags()
	if err := n.Close(); err != nil {
		t.Fatal(err)
	}
	r := Request{Node: 1, Segment: target}
	only := func(_ any, err error) error { return err }
	try := func(when string) {
		for name, c := range map[string]struct {
			err  error
			want Reason
		}{
			"Push":           {w.Push(r, b), InvalidWindow},
			"Push nothing":   {w.Push(r, nil), InvalidWindow},
			"Pull":           {w.Pull(r, b), InvalidWindow},
			"Move":           {n.Move(false, r, b), InvalidWindow},
			"Transmit":       {w.Transmit(r, b), InvalidWindow},
			"Botf":           {w.Botf(&Packet{Type: PacketPush, Node: 1, PID: 1, Segment: target, Payload: b}), InvalidWindow},
			"Write":          {w.Write(DWKick, 1), InvalidWindow},
			"Swap":           {only(w.Swap(1, 0, 0, 1)), InvalidWindow},
			"InitLock":       {w.InitLock(0, 0, CommonSegment, 0), InvalidWindow},
			"Lock":           {w.Lock(0), InvalidWindow},
			"Unlock":         {w.Unlock(0), InvalidWindow},
			"Put":            {ch.Put(0, 0, &[3]uint64{}, b), InvalidWindow},
			"Consumed":       {func() error { _, _, err := ch.Consumed(); return err }(), InvalidWindow},
			"Append":         {only(mail.Append(&[3]uint64{}, b)), InvalidWindow},
			"Raise":          {writer.Raise(0, 1, 0, b[:8]), InvalidWindow},
			"Channel":        {only(n.Channel(w, 1, 0)), InvalidWindow},
			"Mailbox":        {only(n.Mailbox(w, 1)), InvalidWindow},
			"FlagWriter":     {only(n.FlagWriter(n.Next())), InvalidWindow},
			"Pin":            {only(n.Pin(b)), InvalidWindow},
			"Hold":           {only(n.Hold(b)), InvalidWindow},
			"Unpin":          {n.Unpin(pin), Misuse},
			"Expose":         {only(n.Expose(b)), InvalidWindow},
			"ExposeHeld":     {only(n.ExposeHeld(b)), InvalidWindow},
			"Conceal":        {n.Conceal(own), Misuse},
			"Register":       {only(n.Register(fabric.Address(b), 8)), InvalidWindow},
			"RegisterPinned": {only(n.RegisterPinned(pin, b)), NotPinned},
			"Release":        {n.Release(own), Misuse},
			"RegisterHeader": {n.RegisterHeader(1, Header{Node: 1, Segment: target}), InvalidWindow},
			"WithdrawHeader": {n.WithdrawHeader(1), NoHeader},
			"WriteAOTF":      {n.WriteAOTF(1<<aotfPageShift, 7), NoHeader},
		} {
			if !errors.Is(c.err, c.want) {
				t.Errorf("%s, %s: %v, want %v", when, name, c.err, c.want)
			}
		}
		if n.Common() != nil || n.Flags() != nil || n.MailReader() != nil || n.RingReader(0) != nil {
			t.Errorf("%s: the memory can still be had", when)
		}
		if _, up := all[1].Raised(flags, 0, 0, 1, nil); up || all[1].MailReader().Ready() || all[1].RingReader(0).Ready() {
			t.Errorf("%s: something has arrived", when)
		}
		if n.Close() == nil {
			t.Errorf("%s: closed twice", when)
		}
	}
	try("closed")
	if err := m.Admit(0, f.Job()); err != nil {
		t.Fatal(err)
	}
	try("its Windows are another process's")
	again, err := Open(f, 0, Options{})
	if err != nil {
		t.Fatal(err)
	}
	try("another process has the NIC")
	if err := errors.Join(again.Close(), all[1].Close()); err != nil {
		t.Error(err)
	}
}

// TestAPageThatIsNotThePeers: if a peer's page table claims the job's header, or tables, as the
// peer's memory, no rank writes there.
func TestAPageThatIsNotThePeers(t *testing.T) {
	n := open(t, 2)
	f := n[0].f
	job := f.Job()
	tables, _ := f.Span(0, fabric.Device)
	for name, at := range map[string]uint64{"header": 0, "all the region": tables/fabric.PageBytes - 2} {
		seg, err := n[1].Expose(make([]byte, 4*page))
		if err != nil {
			t.Fatal(err)
		}
		n[1].own.extent(n[1].last).store(entPhys, at)
		b := make([]byte, 3*page)
		if err := pushed(n[0], 1, seg, 0, b); err == nil {
			t.Errorf("%s: written", name)
		}
		if err := n[1].Conceal(seg); err != nil {
			t.Error(err)
		}
	}
	if f.Job() != job || f.Words(0, fabric.Device)[regPower] != stateOn {
		t.Error("the job's memory is damaged")
	}
}
