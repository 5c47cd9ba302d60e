package sim

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"

	"rhinet/llc"
	"rhinet/llc/ir"
)

// Params decide a run completely, except for Prepare and Spoil; Trace changes nothing.
type Params struct {
	Seed           uint64
	Peers          int
	Messages       int
	Contexts       int
	Tags           int
	Bytes          int // largest message
	Oversubscribed int // how many peers, from the first on, are told that they share processors
	Order          int // 0: receives and sends mixed, 1: every peer's receives first, 2: last, 3: see invite

	Caps   ir.Caps
	Shared int // packets in a shared ring
	Ports  int // injection ports, 0: one

	RingMemory int // bytes of packet rings that each peer hands out, 0: all

	Wild   int // percent of receives with a wildcard source, and with a wildcard tag
	Short  int // percent of receives with a short buffer
	Sync   int // percent of synchronous sends
	Cancel int // percent of operations that cancel a receive
	Pieces int // percent of messages, and of buffers, that are noncontiguous
	Shut   int // percent of receives whose context ends, with Order 3
	Probe  int // percent of operations that probe
	Lane   int // percent of sends, receives and turns that try the ready lane first
	Attend int // percent of turns at which a peer waits for a small message
	Busy   int // percent of packets to shared rings that are refused as Busy
	Hold   int // percent of packets and answers that are held back
	Nap    int // percent of turns after which a peer is away for a while
	Deny   int // percent of copies and exposures refused as not permitted
	Refuse int // percent of copies refused for good
	Crash  int // the turn at which a random peer dies, 0: never
	Forger int // percent of its turns at which the last peer sends nonsense, 0: it is honest

	Fault string // what happens to packets, see ParseFault

	// Prepare may break an engine before the run, to see that the run notices.
	Prepare func(peer int, e *llc.Engine)
	// Spoil, if set, breaks the contract of the network; see Net.
	Spoil func(at int, ev *ir.Event, next func(*ir.Event) bool) bool
	// Trace, if set, is called for every change of state of any engine.
	Trace func(llc.Transition)
}

// fields lists the parameters in the order of a recipe.
func (p *Params) fields() []field {
	return []field{
		{"peers", &p.Peers}, {"messages", &p.Messages}, {"contexts", &p.Contexts}, {"tags", &p.Tags}, {"bytes", &p.Bytes}, {"oversubscribed", &p.Oversubscribed}, {"order", &p.Order},
		{"rings", &p.Caps.Rings}, {"slots", &p.Caps.Slots}, {"ring", &p.Caps.Bytes}, {"words", &p.Caps.Words},
		{"fragment", &p.Caps.Fragment}, {"eager", &p.Caps.Eager}, {"offered", &p.Caps.Offered}, {"split", &p.Caps.Split}, {"unit", &p.Caps.SplitUnit},
		{"copies", &p.Caps.Copies}, {"trailer", &p.Caps.Trailer}, {"shared", &p.Shared}, {"ports", &p.Ports}, {"memory", &p.RingMemory},
		{"wild", &p.Wild}, {"short", &p.Short}, {"sync", &p.Sync}, {"cancel", &p.Cancel}, {"shut", &p.Shut}, {"probe", &p.Probe}, {"lane", &p.Lane}, {"attend", &p.Attend},
		{"busy", &p.Busy}, {"hold", &p.Hold}, {"nap", &p.Nap}, {"deny", &p.Deny}, {"refuse", &p.Refuse}, {"crash", &p.Crash}, {"forger", &p.Forger},
		{"blocks", &p.Caps.Blocks}, {"pieces", &p.Pieces},
	}
}

type field struct {
	name  string
	value *int
}

// String returns the recipe of the run.
func (p Params) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "sim: seed=%d remote=%v spread=%v gathers=%v", p.Seed, p.Caps.Remote, p.Caps.Spread, p.Caps.Gathers)
	for _, f := range p.fields() {
		fmt.Fprintf(&b, " %s=%d", f.name, *f.value)
	}
	if p.Fault != "" {
		b.WriteString(" " + p.Fault)
	}
	return b.String()
}

// Parse reads what String wrote. Parameters that the recipe does not name are those of its seed.
func Parse(recipe string) (Params, error) {
	recipe = strings.TrimPrefix(strings.TrimSpace(recipe), "sim:")
	fault := ""
	if i := strings.IndexByte(recipe, '('); i >= 0 {
		recipe, fault = recipe[:i], recipe[i:]
	}
	values := map[string]string{}
	for _, word := range strings.Fields(recipe) {
		name, value, ok := strings.Cut(word, "=")
		if !ok {
			return Params{}, fmt.Errorf("sim: %q is not name=value", word)
		}
		values[name] = value
	}
	seed, err := strconv.ParseUint(values["seed"], 10, 64)
	if err != nil {
		return Params{}, fmt.Errorf("sim: recipe wants seed=NUMBER: %w", err)
	}
	p := Random(seed)
	p.Fault = fault // a recipe that names none has none
	delete(values, "seed")
	for name, value := range map[string]*bool{"remote": &p.Caps.Remote, "spread": &p.Caps.Spread, "gathers": &p.Caps.Gathers} {
		if v, ok := values[name]; ok {
			if *value, err = strconv.ParseBool(v); err != nil {
				return Params{}, fmt.Errorf("sim: %s: %w", name, err)
			}
			delete(values, name)
		}
	}
	for _, f := range p.fields() {
		if v, ok := values[f.name]; ok {
			if *f.value, err = strconv.Atoi(v); err != nil {
				return Params{}, fmt.Errorf("sim: %s: %w", f.name, err)
			}
			delete(values, f.name)
		}
	}
	for name := range values {
		return Params{}, fmt.Errorf("sim: no parameter %q", name)
	}
	if fault != "" {
		if _, err := ParseFault(fault); err != nil {
			return Params{}, err
		}
	}
	return p, nil
}

// Random returns the parameters of a seed: small worlds, in which limits are met often.
func Random(seed uint64) Params {
	rng := rand.New(rand.NewPCG(seed, 0x5eed))
	pick := func(values ...int) int { return values[rng.IntN(len(values))] }
	p := Params{
		Seed: seed, Peers: 2 + rng.IntN(3), Messages: 4 + rng.IntN(20), Contexts: 1 + rng.IntN(3), Tags: 1 + rng.IntN(4),
		Bytes: pick(30, 300, 2500, 2500), Shared: pick(1, 2, 8, 64),
		Caps: ir.Caps{
			Name: "sim", Remote: rng.IntN(3) > 0, Rings: pick(0, 1, 2, 8, 8), Slots: pick(1, 2, 4, 16),
			Bytes: pick(128, 256, 1024, 4096), Words: pick(0, 1, 2, 8), Fragment: pick(48, 200, 512),
			Eager: pick(0, 40, 200, 1000), Split: pick(0, 200, 200, 500, 1500), SplitUnit: pick(64, 128, 300), Copies: pick(0, 1, 2),
		},
		Wild: pick(0, 10, 50), Short: pick(0, 0, 10), Sync: pick(0, 20), Cancel: pick(0, 0, 10), Probe: pick(0, 5),
		Busy: pick(0, 0, 20, 50), Hold: pick(0, 10, 50), Nap: pick(0, 2),
	}
	p.Oversubscribed = rng.IntN(p.Peers + 1)
	if rng.IntN(8) == 0 { // smaller rings are not spread
		p.Caps.Spread, p.Caps.Bytes, p.Caps.Fragment, p.Caps.Eager = true, 1<<15, 1024, pick(1000, 2000)
	}
	if rng.IntN(4) == 0 {
		p.Deny = pick(10, 50, 100)
	}
	switch rng.IntN(12) {
	case 0:
		p.Refuse = pick(5, 30)
	case 1, 2:
		p.Crash = 1 + rng.IntN(200)
	case 3:
		p.Forger = pick(20, 80)
	case 4:
		p.Fault, p.Deny = randomFault(rng), 0
	}
	// Queues of receives and of messages grow deep.
	if rng.IntN(50) == 0 {
		p.Order, p.Messages, p.Tags = pick(1, 2), 150+rng.IntN(100), pick(1, 3, 60)
		p.Bytes = min(p.Bytes, 300)
	}
	p.Lane = pick(0, 50, 100)
	if rng.IntN(4) == 0 { // memory for few rings, or for less than one
		p.RingMemory = llc.RingBytes(&p.Caps)*rng.IntN(3) + 1
	}
	p.Attend = pick(0, 0, 5, 50)
	if p.Fault == "" && rng.IntN(20) == 0 { // both sides share, and copies are refused now and then
		p.Caps.Remote, p.Caps.Words, p.Caps.Split, p.Caps.SplitUnit, p.Caps.Eager = true, 8, 200, 64, 40
		p.Bytes, p.Deny = 2500, pick(5, 10)
	}
	p.Caps.Trailer = pick(0, 0, 8)
	if rng.IntN(8) == 0 { // receivers invite senders: pairs have rings, and receives name their source
		p.Caps.Remote, p.Caps.Rings, p.Caps.Words, p.Caps.Split, p.Caps.SplitUnit, p.Caps.Eager = true, 8, pick(2, 8), 200, 64, 40
		p.Peers, p.Messages, p.Bytes, p.Wild, p.Oversubscribed = pick(2, 2, 3), 30, 2500, pick(0, 0, 10), 0
		if p.Shut = pick(0, 0, 50); p.Shut > 0 { // now and then while the sender pushes, and its offer is on its way
			p.Order, p.Contexts, p.Hold = 3, 1, 50
		}
	}
	p.Ports = pick(0, 0, 2, 4)
	if rng.IntN(3) == 0 {
		if p.Caps.Blocks, p.Pieces = pick(0, 1, 1, 20), pick(20, 100); p.Caps.Remote && p.Caps.Blocks > 0 {
			p.Ports = 0
		}
	}
	p.Caps.Offered = pick(0, 0, 100, 500)
	p.Caps.Gathers = rng.IntN(2) == 0
	return p
}
