package traffic

import (
	"fmt"
	"strings"
	"time"
)

// Limits of a plan.
const (
	MostRanks = 64       // of a job with random traffic
	MostBytes = 64 << 20 // of one message
)

// A Plan is what all ranks of a job do.
type Plan struct {
	Seed  uint64
	Ranks int
	Lanes [][]Step // executed concurrently, each on a communicator of its own
}

// A Kind says what a step is.
type Kind uint8

// The kinds of steps.
const (
	Exchange   Kind = iota // point-to-point messages
	Collective             // one collective call
	Dup                    // a duplicate of the current communicator, used from now on
	Split                  // a part of the current communicator, used from now on
	Free                   // back to the communicator before
)

var kindNames = [...]string{"exchange", "collective", "dup", "split", "free"}

func (k Kind) String() string { return kindNames[k] }

// A Class describes the receives of one rank in one exchange.
type Class uint8

// The classes. Receives of the last two are alike throughout an exchange.
const (
	Exact     Class = iota // source and tag
	AnyTag                 // source, and any tag
	AnySource              // any source, and a tag that only this exchange uses
	Any                    // any source and any tag; a barrier ends the exchange
)

var classNames = [...]string{"exact", "any tag", "any source", "any"}

func (c Class) String() string { return classNames[c] }

func (c Class) wild() bool { return c >= AnySource }

// A Style says how one rank executes its part of an exchange.
type Style uint8

// The styles.
const (
	Serial     Style = iota // one goroutine, sends and receives in order of number
	Apart                   // one goroutine sends, another receives
	Concurrent              // several goroutines send, each to some ranks, and several receive
	Burst                   // everything is started before anything is waited for
)

var styleNames = [...]string{"serial", "apart", "concurrent", "burst"}

func (s Style) String() string { return styleNames[s] }

// A SendMode is a way to send one message.
type SendMode uint8

// The ways to send.
const (
	Send SendMode = iota
	Ssend
	Isend
	Issend
	SsendGivenUp // Ssend whose wait is ended by a context; the message arrives anyway
	SendModes
)

var sendNames = [...]string{"send", "ssend", "isend", "issend", "ssend given up"}

func (m SendMode) String() string { return sendNames[m] }

// A RecvMode is a way to receive one message.
type RecvMode uint8

// The ways to receive.
const (
	Recv        RecvMode = iota
	Irecv                // completed later
	Probed               // Probe, then Recv of what it described
	Iprobed              // the same with Iprobe in a loop
	RecvGivenUp          // Recv whose wait is ended by a context, repeatedly, until it takes the message
	Decoyed              // Recv, after an Irecv that matches no message and is ended by a context
	RecvModes
)

var recvNames = [...]string{"recv", "irecv", "probe", "iprobe", "recv given up", "decoy"}

func (m RecvMode) String() string { return recvNames[m] }

// A Message is one message of an exchange. Ranks are those of the world.
type Message struct {
	From, To int
	Tag      int
	Bytes    int
	Send     SendMode
	Recv     RecvMode
	Short    bool          // the receive's buffer holds half of it
	Pairs    bool          // From sends it and receives the message before it in one Sendrecv
	Rest     time.Duration // before it is sent
	Nap      time.Duration // before it is received
}

// A Step is what the ranks of a lane do next.
type Step struct {
	Kind   Kind
	Groups [][]int // world ranks of the communicators on which the step is executed, each in order of rank

	// Exchange.
	Messages []Message
	Classes  []Class // by world rank
	Styles   []Style // by world rank
	Windows  []int   // by world rank: maximum number of pending transfers, except in a burst
	Naps     []time.Duration
	During   *Call // burst: a collective call while all transfers are pending
	Fence    bool  // a barrier ends it

	Call *Call // Collective

	Colors []int // Split: by world rank; negative: none
	Keys   []int
}

// A Call is one collective call.
type Call struct {
	Name  string
	Bytes int // of one rank's part
	Root  int // modulo the size of the communicator
}

func (c *Call) String() string {
	return fmt.Sprintf("%s of %d bytes, root %d", c.Name, c.Bytes, c.Root)
}

// group returns the group of the step to which a world rank belongs, and its rank there, or nil.
func (s *Step) group(rank int) (members []int, local int) {
	for _, g := range s.Groups {
		for i, r := range g {
			if r == rank {
				return g, i
			}
		}
	}
	return nil, -1
}

// Total returns how many messages and message bytes a plan sends.
func (p *Plan) Total() (messages, bytes int) {
	for _, lane := range p.Lanes {
		for i := range lane {
			messages += len(lane[i].Messages)
			for k := range lane[i].Messages {
				bytes += lane[i].Messages[k].Bytes
			}
		}
	}
	return messages, bytes
}

// String returns the plan with one line for each step and message.
func (p *Plan) String() string {
	var b strings.Builder
	messages, bytes := p.Total()
	fmt.Fprintf(&b, "seed %d on %d ranks: %d lanes, %d messages of %d bytes in all\n", p.Seed, p.Ranks, len(p.Lanes), messages, bytes)
	for l, lane := range p.Lanes {
		for i := range lane {
			s := &lane[i]
			fmt.Fprintf(&b, "lane %d step %d: %v on %v\n", l, i, s.Kind, s.Groups)
			s.describe(&b)
		}
	}
	return b.String()
}

func (s *Step) describe(b *strings.Builder) {
	switch s.Kind {
	case Collective:
		fmt.Fprintf(b, "  %v\n", s.Call)
	case Split:
		fmt.Fprintf(b, "  colors %v, keys %v\n", s.Colors, s.Keys)
	case Exchange:
		for r := range s.Styles {
			fmt.Fprintf(b, "  rank %d: %v, receives %v, window %d, nap %v\n", r, s.Styles[r], s.Classes[r], s.Windows[r], s.Naps[r])
		}
		if s.During != nil {
			fmt.Fprintf(b, "  during it %v\n", s.During)
		}
		for i, m := range s.Messages {
			fmt.Fprintf(b, "  %d: %d to %d tag %d, %d bytes, %v, %v", i, m.From, m.To, m.Tag, m.Bytes, m.Send, m.Recv)
			for _, w := range []struct {
				word string
				on   bool
			}{{", short", m.Short}, {", sendrecv", m.Pairs}} {
				if w.on {
					b.WriteString(w.word)
				}
			}
			fmt.Fprintf(b, ", rest %v, nap %v\n", m.Rest, m.Nap)
		}
	}
}
