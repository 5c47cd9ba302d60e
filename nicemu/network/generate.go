package network

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
)

// A rule makes topologies from whole numbers.
type rule struct {
	name     string
	args     []string // names of the numbers
	least    []int
	optional int // how many of the last may be omitted
	about    string
	make     func(n []int) *Topology
}

// rules are the topologies that have a name.
func rules() []rule {
	return []rule{
		{"pair", nil, nil, 0, "two hosts back to back", func([]int) *Topology { return pair() }},
		{"one", []string{"HOSTS"}, []int{2}, 0, "one switch", func(n []int) *Topology { return line(1, n[0], false) }},
		{"line", []string{"SWITCHES", "HOSTS"}, []int{1, 1}, 0, "switches in a line, with hosts each", func(n []int) *Topology { return line(n[0], n[1], false) }},
		{"ring", []string{"SWITCHES", "HOSTS"}, []int{3, 1}, 0, "switches in a ring", func(n []int) *Topology { return line(n[0], n[1], true) }},
		{"full", []string{"SWITCHES", "HOSTS"}, []int{2, 1}, 0, "every switch joined to every other", func(n []int) *Topology { return full(n[0], n[1]) }},
		{"tree", []string{"CHILDREN", "DEPTH", "HOSTS"}, []int{1, 0, 1}, 0, "a tree of switches, hosts at its leaves", func(n []int) *Topology { return tree(n[0], n[1], n[2]) }},
		{"random", []string{"SWITCHES", "HOSTS", "SEED"}, []int{2, 1, 0}, 1, "an irregular graph: a random tree and half as many links again", func(n []int) *Topology { return random(n[0], n[1], uint64(n[2])) }},
	}
}

// usage returns the form of the rule: "line:SWITCHESxHOSTS".
func (r rule) usage() string {
	if len(r.args) == 0 {
		return r.name
	}
	must := len(r.args) - r.optional
	text := r.name + ":" + strings.Join(r.args[:must], "x")
	if r.optional > 0 {
		text += "[x" + strings.Join(r.args[must:], "x") + "]"
	}
	return text
}

// Rules lists the forms of all rules.
func Rules() string {
	var all []string
	for _, r := range rules() {
		all = append(all, r.usage())
	}
	return strings.Join(all, ", ")
}

// Generate makes the topology of a rule such as "line:4x2". seed is used for random graphs whose
// rule gives none.
func Generate(text string, seed uint64) (*Topology, error) {
	name, rest, _ := strings.Cut(text, ":")
	for _, r := range rules() {
		if r.name != name {
			continue
		}
		n, err := r.numbers(rest)
		if err != nil {
			return nil, fmt.Errorf("%w %q: %w", ErrTopology, text, err)
		}
		if name == "random" && len(n) == 2 {
			n = append(n, int(seed))
		}
		return r.make(n), nil
	}
	return nil, fmt.Errorf("%w: no file and no rule %q; the rules are %s", ErrTopology, text, Rules())
}

func (r rule) numbers(text string) (n []int, err error) {
	var fields []string
	if text != "" {
		fields = strings.Split(text, "x")
	}
	if len(fields) > len(r.args) || len(fields) < len(r.args)-r.optional {
		return nil, fmt.Errorf("write %s", r.usage())
	}
	nodes := 1
	for i, f := range fields {
		v, err := strconv.Atoi(f)
		if err != nil || v < r.least[i] || v > mostNodes && r.args[i] != "SEED" {
			return nil, fmt.Errorf("%s is %q; give a whole number from %d to %d", r.args[i], f, r.least[i], mostNodes)
		}
		n = append(n, v)
		if r.args[i] != "SEED" && r.args[i] != "DEPTH" {
			nodes *= v
		}
		if r.args[i] == "DEPTH" {
			for range min(v, 20) {
				nodes = min(nodes*n[0], mostNodes+1)
			}
		}
		if nodes > mostNodes {
			return nil, fmt.Errorf("more than %d nodes", mostNodes)
		}
	}
	return n, nil
}

// A builder adds nodes and links.
type builder struct{ t *Topology }

func (b builder) node(isSwitch bool) Node {
	list, prefix := &b.t.Hosts, "h"
	if isSwitch {
		list, prefix = &b.t.Switches, "s"
	}
	*list = append(*list, prefix+strconv.Itoa(len(*list)))
	return Node{isSwitch, len(*list) - 1}
}

func (b builder) link(x, y Node) { b.t.Links = append(b.t.Links, Link{A: x, B: y}) }

// hosts adds a number of hosts to a switch.
func (b builder) hosts(s Node, n int) {
	for range n {
		b.link(b.node(false), s)
	}
}

func (b builder) switches(n, hosts int) (all []Node) {
	for range n {
		s := b.node(true)
		b.hosts(s, hosts)
		all = append(all, s)
	}
	return all
}

func pair() *Topology {
	b := builder{&Topology{}}
	b.link(b.node(false), b.node(false))
	return b.t
}

func line(switches, hosts int, closed bool) *Topology {
	b := builder{&Topology{}}
	s := b.switches(switches, hosts)
	for i := range len(s) - 1 {
		b.link(s[i], s[i+1])
	}
	if closed {
		b.link(s[len(s)-1], s[0])
	}
	return b.t
}

func full(switches, hosts int) *Topology {
	b := builder{&Topology{}}
	s := b.switches(switches, hosts)
	for i := range s {
		for j := range i {
			b.link(s[j], s[i])
		}
	}
	return b.t
}

func tree(children, depth, hosts int) *Topology {
	b := builder{&Topology{}}
	level := []Node{b.node(true)}
	for range depth {
		var below []Node
		for _, up := range level {
			for range children {
				s := b.node(true)
				b.link(up, s)
				below = append(below, s)
			}
		}
		level = below
	}
	for _, s := range level {
		b.hosts(s, hosts)
	}
	return b.t
}

// portsInMind bounds the links between switches in random graphs: a switch has at most this number
// less its hosts, because RHiNET switches have as many ports (martini, section 1.5).
const portsInMind = 8

func random(switches, hosts int, seed uint64) *Topology {
	r := rand.New(rand.NewPCG(seed, 0x7090))
	b := builder{&Topology{}}
	s := b.switches(switches, hosts)
	most := max(portsInMind-hosts, 2)
	degree := make([]int, switches)
	linked := map[[2]int]bool{}
	join := func(i, j int) bool {
		if i == j || linked[[2]int{i, j}] || degree[i] >= most || degree[j] >= most {
			return false
		}
		linked[[2]int{i, j}], linked[[2]int{j, i}] = true, true
		degree[i]++
		degree[j]++
		b.link(s[i], s[j])
		return true
	}
	for i := 1; i < switches; i++ {
		for !join(i, r.IntN(i)) {
		}
	}
	more := switches / 2
	for range 10 * switches {
		if more > 0 && join(r.IntN(switches), r.IntN(switches)) {
			more--
		}
	}
	return b.t
}
