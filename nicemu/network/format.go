package network

import (
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// A topology file has one statement a line; # begins a comment.
//
//	switch s0 s1        declares switches
//	host a b c          declares hosts
//	link a s0           joins two nodes
//	link s0 s1 30       joins two nodes with 30 metres

// mostNodes bounds the size of a topology from a file or a rule.
const mostNodes = 65536

// mostMetres bounds the length of a link.
const mostMetres = 100_000

var nodeName = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_.]*$`)

// NamedTopology reads the topology file of a name from in. If in is nil, there is no such file, and
// name is a rule.
func NamedTopology(name string, in io.Reader, seed uint64) (*Topology, error) {
	if in == nil {
		return Generate(name, seed)
	}
	t, err := ReadTopology(in)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return t, nil
}

// A reader is the state of reading a topology file.
type reader struct {
	t     *Topology
	nodes map[string]Node
}

// ReadTopology reads a topology file. An error names the line.
func ReadTopology(in io.Reader) (*Topology, error) {
	text, err := io.ReadAll(io.LimitReader(in, mostText+1))
	if err != nil {
		return nil, fmt.Errorf("%w: %v", ErrTopology, err)
	}
	if len(text) > mostText {
		return nil, fmt.Errorf("%w: the file has more than %d bytes", ErrTopology, mostText)
	}
	r := reader{&Topology{}, map[string]Node{}}
	number := 0
	for line := range strings.Lines(string(text)) {
		number++
		line, _, _ = strings.Cut(line, "#")
		fields := strings.Fields(line)
		if len(fields) == 0 {
			continue
		}
		if err := r.statement(fields[0], fields[1:]); err != nil {
			return nil, fmt.Errorf("%w: line %d: %w", ErrTopology, number, err)
		}
	}
	return r.t, nil
}

// mostText bounds the size of a file.
const mostText = 16 << 20

func (r *reader) statement(word string, args []string) error {
	switch word {
	case "switch":
		return r.declare(&r.t.Switches, true, word, args)
	case "host":
		return r.declare(&r.t.Hosts, false, word, args)
	case "link":
		return r.link(args)
	}
	return fmt.Errorf("unknown statement %q; a line begins with switch, host or link", word)
}

func (r *reader) declare(list *[]string, isSwitch bool, word string, names []string) error {
	if len(names) == 0 {
		return fmt.Errorf("%s names nothing", word)
	}
	for _, name := range names {
		if !nodeName.MatchString(name) {
			return fmt.Errorf("%q is no name; names are letters, digits, _ and . and begin with a letter", name)
		}
		if _, there := r.nodes[name]; there {
			return fmt.Errorf("%s is declared twice", name)
		}
		if len(r.nodes) == mostNodes {
			return fmt.Errorf("more than %d hosts and switches", mostNodes)
		}
		r.nodes[name] = Node{isSwitch, len(*list)}
		*list = append(*list, name)
	}
	return nil
}

func (r *reader) link(args []string) error {
	if len(args) != 2 && len(args) != 3 {
		return fmt.Errorf("link takes two nodes and, if you like, metres; not %d words", len(args))
	}
	var l Link
	for i, end := range []*Node{&l.A, &l.B} {
		n, there := r.nodes[args[i]]
		if !there {
			return fmt.Errorf("%s is not declared; write host %s or switch %s above", args[i], args[i], args[i])
		}
		*end = n
	}
	if l.A == l.B {
		return fmt.Errorf("%s is linked to itself", args[0])
	}
	for _, n := range []Node{l.A, l.B} {
		if !n.Switch && slices.ContainsFunc(r.t.Links, func(o Link) bool { return o.A == n || o.B == n }) {
			return fmt.Errorf("host %s has a link already; a host has exactly one", r.t.Name(n))
		}
	}
	if len(args) == 3 {
		m, err := strconv.ParseFloat(args[2], 64)
		if err != nil || !(m > 0 && m <= mostMetres) {
			return fmt.Errorf("%q is no length in metres, above 0 and up to %d", args[2], mostMetres)
		}
		l.Metres = m
	}
	r.t.Links = append(r.t.Links, l)
	return nil
}

// WriteTo writes t in the format that ReadTopology reads.
func (t *Topology) WriteTo(out io.Writer) (int64, error) {
	var b strings.Builder
	for i, list := range [][]string{t.Switches, t.Hosts} {
		for part := range slices.Chunk(list, 10) {
			fmt.Fprintln(&b, [2]string{"switch", "host"}[i], strings.Join(part, " "))
		}
	}
	for _, l := range t.Links {
		fmt.Fprintf(&b, "link %s %s", t.Name(l.A), t.Name(l.B))
		if l.Metres > 0 {
			fmt.Fprintf(&b, " %v", l.Metres)
		}
		b.WriteByte('\n')
	}
	n, err := io.WriteString(out, b.String())
	return int64(n), err
}
