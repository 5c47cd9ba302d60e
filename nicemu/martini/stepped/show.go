package stepped

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"

	"rhinet/nicemu/fabric"
	"rhinet/nicemu/martini"
)

// Trace returns an observer that writes one line for each transition: step, node, module, the two
// states, the condition, and the kind of work done in the first state.
func Trace(out io.Writer) func(Event) {
	return func(e Event) {
		if e.From == e.To {
			return
		}
		fmt.Fprintf(out, "%6d  node %d  %-9v %-8v -> %-8v%s\n", e.Step, e.Node, e.Module, e.From, e.To, remark(e))
	}
}

func remark(e Event) string {
	text := e.Work.String()
	if e.Bytes > 0 {
		text = fmt.Sprintf("%s of %d bytes", text, e.Bytes)
	}
	if e.From == MISS {
		return "  " + text + ": set by firmware"
	}
	if e.On != Always {
		text += ": " + e.On.String()
	}
	return "  " + text
}

// Operations lists the operations that Show knows.
func Operations() []string {
	return []string{"push", "pull", "botf", "aotf", "vpush", "vpush-hardware", "vpush-software", "miss", "miss-software", "violation", "special", "unknown", "beyond", "lock", "fall-back"}
}

// Show writes the trace of one operation with the given number of bytes between two nodes (three
// for lock), from the kick to the completion. Except in miss and similar operations, the TLBs hold
// all entries that the operation needs.
func Show(out io.Writer, operation string, bytes int) error {
	w := bufio.NewWriter(out)
	steps, err := watch(operation, bytes, Trace(w))
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "%d steps\n", steps)
	return w.Flush()
}

// Watch calls see for what Show writes, and also for modules that stay in their state.
func Watch(operation string, bytes int, see func(Event)) error {
	_, err := watch(operation, bytes, see)
	return err
}

func watch(operation string, bytes int, see func(Event)) (steps uint64, err error) {
	if bytes < 0 || bytes > showMost {
		return 0, fmt.Errorf("stepped: %d bytes to show; at most %d", bytes, showMost)
	}
	nodes := 2
	if operation == "lock" {
		nodes = 3
	}
	s, err := newStage(nodes, bytes, Options{})
	if err != nil {
		return 0, err
	}
	defer s.close()
	return s.perform(operation, see)
}

const (
	showMost  = 1 << 20
	showSteps = 10000000
)

// A stage is a set of nodes on which an operation is shown.
type stage struct {
	m     *Machine
	boss  *martini.Manager
	nics  []*martini.NIC
	area  [][]byte
	seg   []martini.Segment
	size  int
	trace func(Event) // nil: not traced
}

func newStage(nodes, size int, o Options) (*stage, error) {
	f, err := fabric.Heap(nodes, fabric.Small())
	if err != nil {
		return nil, err
	}
	boss, err := martini.Manage(f)
	if err != nil {
		return nil, err
	}
	s := &stage{boss: boss, size: size}
	for i := range nodes {
		n, err := martini.Open(f, i, martini.Options{})
		if err != nil {
			s.close()
			return nil, err
		}
		s.nics = append(s.nics, n)
		b := aligned((size/pageBytes + 3) * pageBytes)
		seg, err := n.Expose(b)
		if err != nil {
			s.close()
			return nil, err
		}
		s.area, s.seg = append(s.area, b), append(s.seg, seg)
	}
	o.Observe = func(e Event) {
		if s.trace != nil {
			s.trace(e)
		}
	}
	s.m, err = New(boss, s.nics, o)
	if err != nil {
		s.close()
	}
	return s, err
}

func (s *stage) close() {
	if s.m != nil {
		s.m.Close()
	}
	for _, n := range s.nics {
		_ = n.Close()
	}
}

// aligned returns memory that begins on a page.
func aligned(size int) []byte {
	b := make([]byte, size+pageBytes)
	off := int(-fabric.Address(b) % pageBytes)
	return b[off : off+size : off+size]
}

// perform runs an operation, and once before without a trace if the TLBs must be warm.
func (s *stage) perform(operation string, see func(Event)) (steps uint64, err error) {
	do, cold := s.operation(operation)
	if do == nil {
		return 0, fmt.Errorf("stepped: nothing to show for %q; there are %s", operation, strings.Join(Operations(), ", "))
	}
	if !cold {
		if err := s.run(do); err != nil {
			return 0, err
		}
	}
	from := s.m.Clock()
	s.trace = func(e Event) {
		e.Step -= from
		see(e)
	}
	err = s.run(do)
	return s.m.Clock() - from, err
}

func (s *stage) run(do func() error) error {
	if err := do(); err != nil {
		return err
	}
	return s.m.Run(showSteps)
}

// operation returns a function that kicks an operation, and whether the TLBs must be cold for it.
func (s *stage) operation(name string) (do func() error, cold bool) {
	r := martini.Request{Node: 1, Segment: s.seg[1], Flag: 1}
	kick := func(_ uint64, err error) error { return err }
	botf := func(p martini.Packet) func() error {
		p.Node, p.PID, p.Segment = 1, 1, s.seg[1]
		p.Payload = s.area[0][:min(s.size, MTU)]
		return func() error { return kick(s.m.Botf(0, 0, &p)) }
	}
	switch name {
	case "push", "miss":
		return func() error { return kick(s.m.Push(0, 0, r, s.area[0][:s.size])) }, name == "miss"
	case "miss-software":
		s.m.Software(0, true)
		return func() error { return kick(s.m.Push(0, 0, r, s.area[0][:s.size])) }, true
	case "pull":
		return func() error { return kick(s.m.Pull(0, 0, r, s.area[0][:s.size])) }, false
	case "botf":
		return botf(martini.Packet{Type: martini.PacketPush, Flag: 1}), false
	case "unknown":
		return botf(martini.Packet{Type: 99}), true
	case "aotf":
		return s.aotf(), false
	case "vpush", "vpush-hardware", "vpush-software":
		return s.vpush(RingOptions{Hardware: name == "vpush-hardware", Software: name == "vpush-software"}), false
	case "lock":
		return s.lock(), true
	case "fall-back":
		return s.fallBack(), true
	case "violation":
		return func() error {
			if err := s.boss.Invalidate(0, 2); err != nil {
				return err
			}
			return kick(s.m.Push(0, 2, r, s.area[0][:s.size]))
		}, true
	case "special":
		return func() error { return kick(s.m.Request(0, 0, 99, r, 0, uint64(s.size))) }, true
	case "beyond":
		r.Offset = uint64(len(s.area[1]))
		return func() error { return kick(s.m.Push(0, 0, r, s.area[0][:max(1, s.size)])) }, true
	}
	return nil, false
}

// fallBack pushes twice through the fast path: to a valid place, which is not traced, and beyond
// the segment's end, which is left to the machine.
func (s *stage) fallBack() func() error {
	s.m.Attach()
	w := s.nics[0].Window(0)
	r := martini.Request{Node: 1, Segment: s.seg[1], Flag: 1}
	return func() error {
		usual := w.Push(r, s.area[0][:s.size])
		r.Offset = uint64(len(s.area[1]))
		if err := w.Push(r, s.area[0][:max(1, s.size)]); !errors.Is(err, martini.BeyondSegment) {
			return errors.Join(usual, err)
		}
		return usual
	}
}

// lock has node 0 represent a lock that node 2 holds and node 1 requests (martini, section 9.2);
// node 2 unlocks when it has the reservation for node 1.
func (s *stage) lock() func() error {
	call := func(node int, command uint8) error {
		r := martini.Request{Segment: s.seg[node]}
		if _, err := s.m.Request(node, 0, command, r, 0, 0); err != nil {
			return err
		}
		return s.m.Run(showSteps)
	}
	var err error
	for node := range s.nics {
		err = errors.Join(err, call(node, martini.CommandLockInit))
	}
	wanted := func() error { return errors.Join(call(1, martini.CommandLock), call(2, martini.CommandUnlock)) }
	// Once in advance, for the TLBs; then node 2 takes the lock again.
	err = errors.Join(err, call(2, martini.CommandLock), wanted(), call(1, martini.CommandUnlock), call(2, martini.CommandLock))
	return func() error { return errors.Join(err, wanted()) }
}

func (s *stage) aotf() func() error {
	err := s.nics[0].RegisterHeader(0, martini.Header{Node: 1, Segment: s.seg[1], Override: true})
	return func() error {
		if err != nil {
			return err
		}
		return s.m.WriteAOTF(0, 64, 42)
	}
}

func (s *stage) vpush(o RingOptions) func() error {
	b := aligned(3 * pageBytes)
	_, err := s.nics[1].Pin(b)
	var ring *Ring
	if err == nil {
		ring, err = s.m.NewRing(1, 0, b, o)
	}
	return func() error {
		if err != nil {
			return err
		}
		for b := ring.Next(); b != nil; b = ring.Next() {
			ring.Release(len(b))
		}
		_, err := s.m.Push(0, 0, martini.Request{Node: 1, Segment: VPushSegment, Flag: 1}, s.area[0][:s.size])
		return err
	}
}
