package martini

import (
	"errors"
	"testing"

	"rhinet/nicemu/fabric"
)

func TestContflagRisesOncePerRequest(t *testing.T) {
	n := open(t, 2)
	_, r := between(t, n[1], page)
	w := n[0].Window(3)
	b := make([]byte, 8)
	p, err := n[0].Pin(b)
	if err != nil {
		t.Fatal(err)
	}
	want := uint64(0)
	for _, c := range []struct {
		name string
		do   func() error
		flag int
		ok   bool
	}{
		{"PUSH", func() error { return w.Push(Request{1, r.good, 0, 5}, b) }, 5, true},
		{"PULL", func() error { return w.Pull(Request{1, r.good, 0, 6}, b) }, 6, true},
		{"refused", func() error { return w.Pull(Request{1, r.stale, 0, 7}, b) }, 7, false},
		{"BOTF", func() error {
			return w.Botf(&Packet{Type: PacketPush, PID: 1, Node: 1, Segment: r.good, Payload: b, Flag: 8})
		}, 8, true},
		{"empty", func() error { return w.Push(Request{1, r.good, 0, 9}, nil) }, 9, true},
		{"swap", func() error { _, err := w.Swap(1, 0, 0, 0); return err }, 0, true},
	} {
		err := c.do()
		want++
		if (err == nil) != c.ok || w.Contflag() != want {
			t.Errorf("%s: contflag %d, want %d; %v", c.name, w.Contflag(), want, err)
		}
		if set := w.Flag(c.flag) == want; c.flag != 0 && set != c.ok {
			t.Errorf("%s: completion flag %d is %d", c.name, c.flag, w.Flag(c.flag))
		}
	}
	if err := n[0].Unpin(p); err != nil {
		t.Fatal(err)
	}
}

// TestRequestsOfTheWrongKind covers the exceptions of the Initiator and of
// RFend (martini, sections 10.7, 10.8).
func TestRequestsOfTheWrongKind(t *testing.T) {
	n := open(t, 2)
	_, r := between(t, n[1], page)
	w := n[0].Window(0)
	b := make([]byte, 8)
	write := func(dw int, v uint64) {
		if err := w.Write(dw, v); err != nil {
			t.Fatal(err)
		}
	}
	kick := func(command, flag, length, pid uint64, local []byte) error {
		write(DWCommand, command|flag<<8|length<<24)
		write(DWTarget, 1|pid<<16)
		write(DWLocal, fabric.Address(local))
		write(DWSegment, uint64(r.good))
		write(DWOffset, 0)
		return w.Write(DWKick, 1)
	}
	botf := func(p Packet) error {
		p.Node, p.PID, p.Segment = 1, 1, r.good
		return w.Botf(&p)
	}
	pin, err := n[0].Pin(b)
	if err != nil {
		t.Fatal(err)
	}
	defer n[0].Unpin(pin)
	for name, c := range map[string]struct {
		err  error
		want Reason
	}{
		"special request":        {kick(9, 0, 8, 1, b), SpecialRequest},
		"flag beyond its page":   {kick(CommandPush, pageWords, 8, 1, b), WrongLength},
		"flag too large":         {w.Push(Request{1, r.good, 0, pageWords}, b), WrongLength},
		"negative flag":          {w.Push(Request{1, r.good, 0, -1}, b), WrongLength},
		"longer than pinned":     {kick(CommandPush, 0, 9, 1, b), NotPinned},
		"not pinned here":        {kick(CommandPush, 0, 8, 1, make([]byte, 8)), NotPinned},
		"process not there":      {kick(CommandPush, 0, 8, 0, b), NoSegment},
		"unknown packet":         {botf(Packet{Type: 99}), SpecialPacket},
		"image too long":         {botf(Packet{Type: PacketPush, Payload: make([]byte, MaxImage+1)}), WrongLength},
		"image too long, raw":    {w.Write(DWBotf, MaxImage+1), WrongLength},
		"packet flag too large":  {botf(Packet{Type: PacketPush, Flag: pageWords}), WrongLength},
		"swap without operands":  {botf(Packet{Type: PacketSwap, Payload: b}), WrongLength},
		"response to nowhere":    {botf(Packet{Type: PacketPullResponse, Local: 64, Payload: b}), NotPinned},
		"response wraps around":  {botf(Packet{Type: PacketPullResponse, Local: ^uint64(0) - 2, Payload: b}), WrongLength},
		"pull to foreign memory": {botf(Packet{Type: PacketPullRequest, Local: r.address, Length: 8}), NotPinned},
		"packet to no node":      {w.Botf(&Packet{Type: PacketPush, Node: 500, Payload: b}), NoNode},
		"response to no node":    {w.Botf(&Packet{Type: PacketAck, Node: 500, Payload: b}), NoNode},
		"swap at no node":        {w.Botf(&Packet{Type: PacketSwap, Node: 500, Payload: make([]byte, 16)}), NoNode},
	} {
		if !errors.Is(c.err, c.want) {
			t.Errorf("%s: %v, want %v", name, c.err, c.want)
		}
	}
	if err := kick(CommandPull, 0, 8, 1, b); err != nil || b[0] != pattern(0) {
		t.Errorf("the Window does not recover: %v", err)
	}
}

func TestAckAndPullResponseCarryPlainAddresses(t *testing.T) {
	n := open(t, 2)
	s, r := between(t, n[1], 2*page)
	w := n[0].Window(0)
	p := Packet{Type: PacketPullResponse, Node: 1, PID: 1, Local: r.address + page - 4, Payload: []byte("12345678")}
	if err := w.Botf(&p); err != nil || string(s.mem[page-4:page+4]) != "12345678" {
		t.Errorf("response: %v, %q", err, s.mem[page-4:page+4])
	}
	p.Type, p.Local = PacketAck, r.address+2*page-4
	var refusal *Refusal
	if err := w.Botf(&p); !errors.As(err, &refusal) || refusal.Reason != NotPinned || refusal.Moved != 4 || string(s.mem[2*page-4:]) != "1234" {
		t.Errorf("ack beyond pinned pages: %v, %q", err, s.mem[2*page-4:])
	}
	if err := s.untouched(); err != nil {
		t.Error(err)
	}
}

func TestWindowsBelongToTheirOwner(t *testing.T) {
	n := open(t, 2)
	_, r := between(t, n[1], page)
	b := make([]byte, 8)
	pin, err := n[0].Pin(b)
	if err != nil {
		t.Fatal(err)
	}
	defer n[0].Unpin(pin)
	try := func(w *Window) []error {
		_, swapped := w.Swap(1, 0, 1, 2)
		_, channel := n[0].Channel(w, 1, 0)
		_, mail := n[0].Mailbox(w, 1)
		_, writer := n[0].FlagWriter(w)
		return []error{
			w.Push(Request{Node: 1, Segment: r.good}, b), w.Pull(Request{Node: 1, Segment: r.good}, b),
			w.Botf(&Packet{Type: PacketPush, PID: 1, Node: 1, Segment: r.good, Payload: b}), swapped, channel, mail, writer,
		}
	}
	w := n[0].Window(1)
	n[0].own.invalidate(1)
	for i, err := range try(w) {
		if !errors.Is(err, InvalidWindow) {
			t.Errorf("invalid window, request %d: %v", i, err)
		}
	}
	// A Window of another job: its requests carry that job's PGID, whatever the image has. Local
	// memory is not pinned for that job either, which is found first if it is read first.
	n[0].own.assign(1, 0xbad, 0)
	for i, err := range try(w) {
		want := WrongJob
		if i == 0 {
			want = NotPinned
		}
		if !errors.Is(err, want) {
			t.Errorf("forged window, request %d: %v", i, err)
		}
	}
	n[0].own.assign(1, n[0].f.Job(), 0)
	for i, err := range try(w) {
		if err != nil {
			t.Errorf("own window, request %d: %v", i, err)
		}
	}
}

func TestSwap(t *testing.T) {
	n := open(t, 4)
	const each = 500
	done := make(chan int, len(n))
	for _, nic := range n {
		go func() {
			w, won := nic.Window(0), 0
			for won < each {
				old, err := w.Swap(2, 7, 0, 1)
				if err != nil {
					break
				}
				if old == 0 { // a lock that is held for a moment
					won++
					if old, err := w.Swap(2, 7, 1, 0); old != 1 || err != nil {
						break
					}
				}
			}
			done <- won
		}()
	}
	for range n {
		if won := <-done; won != each {
			t.Fatalf("one rank got the lock %d times", won)
		}
	}
	words := uint64(fabric.Small().Words)
	for _, word := range []uint64{words, 1 << 40, ^uint64(0)} {
		if _, err := n[0].Window(0).Swap(1, word, 0, 1); !errors.Is(err, BeyondSegment) {
			t.Errorf("word %d: %v", word, err)
		}
	}
	if _, err := n[0].Window(0).Swap(-1, 0, 0, 1); !errors.Is(err, NoNode) {
		t.Errorf("node -1: %v", err)
	}
	// Without one of the primitives, as a raw packet.
	w := n[0].Window(0)
	payload := make([]byte, 16)
	payload[8] = 9
	if err := w.Botf(&Packet{Type: PacketSwap, Node: 1, PID: 1, Offset: 3, Flag: 4, Payload: payload}); err != nil {
		t.Fatal(err)
	}
	if got := n[0].f.Words(1, fabric.Control)[3]; got != 9 || w.Flag(4) != 0 {
		t.Errorf("word %d, was %d", got, w.Flag(4))
	}
}
