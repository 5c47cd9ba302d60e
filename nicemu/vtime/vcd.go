package vtime

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode"
)

// A VCDTracer writes a value change dump (IEEE 1364-2005, clause 18), for GTKWave: the states of
// modules as text, which is GTKWave's extension of the standard, and levels as numbers. All signals
// must be declared first, so Close writes the whole dump.
type VCDTracer struct {
	out     io.Writer
	signals map[string]*signal
	changes []change
}

// A signal is one line of the dump.
type signal struct {
	name  string
	code  string
	level bool
	first string // value before its first recorded change
}

// A change is a new value.
type change struct {
	at    Time
	s     *signal
	value string
}

// NewVCDTracer returns a tracer that writes to out when it is closed.
func NewVCDTracer(out io.Writer) *VCDTracer {
	return &VCDTracer{out: out, signals: map[string]*signal{}}
}

// signal returns the signal of a source, and makes it with its first value at the first call.
func (t *VCDTracer) signal(name string, level bool, first string) *signal {
	s, there := t.signals[name]
	if !there {
		s = &signal{name, fmt.Sprintf("n%d", len(t.signals)), level, first}
		t.signals[name] = s
	}
	return s
}

// State records a state.
func (t *VCDTracer) State(at Time, m *Module, from, to int) {
	s := t.signal(m.Name(), false, m.states[from].Name)
	t.changes = append(t.changes, change{at, s, m.states[to].Name})
}

// Level records a level.
func (t *VCDTracer) Level(at Time, s Source, level int) {
	t.changes = append(t.changes, change{at, t.signal(s.Name(), true, "0"), fmt.Sprintf("%b", level)})
}

// Mark does nothing: a dump cannot show marks.
func (t *VCDTracer) Mark(Time, Source, string, uint64) {}

// value writes one change.
func (s *signal) value(w io.Writer, v string) {
	if s.level {
		fmt.Fprintf(w, "b%s %s\n", v, s.code)
		return
	}
	fmt.Fprintf(w, "s%s %s\n", v, s.code)
}

// Close writes the dump, and returns the first error of writing.
func (t *VCDTracer) Close() error {
	w := bufio.NewWriter(t.out)
	all := make([]*signal, 0, len(t.signals))
	for _, s := range t.signals {
		all = append(all, s)
	}
	slices.SortFunc(all, func(a, b *signal) int { return strings.Compare(a.name, b.name) })
	fmt.Fprint(w, "$timescale 1ps $end\n")
	scope := ""
	for _, s := range all {
		outer, name := "", s.name
		if i := strings.LastIndexByte(name, ' '); i >= 0 {
			outer, name = name[:i], name[i+1:]
		}
		if outer != scope {
			closeScope(w, scope)
			if scope = outer; scope != "" {
				fmt.Fprintf(w, "$scope module %s $end\n", identifier(scope))
			}
		}
		kind := "string 1"
		if s.level {
			kind = "integer 32"
		}
		fmt.Fprintf(w, "$var %s %s %s $end\n", kind, s.code, identifier(name))
	}
	closeScope(w, scope)
	fmt.Fprint(w, "$enddefinitions $end\n$dumpvars\n")
	for _, s := range all {
		s.value(w, s.first)
	}
	fmt.Fprint(w, "$end\n")
	slices.SortStableFunc(t.changes, func(a, b change) int { return cmp.Compare(a.at, b.at) })
	last := Time(-1)
	for _, c := range t.changes {
		if c.at != last {
			fmt.Fprintf(w, "#%d\n", c.at)
			last = c.at
		}
		c.s.value(w, c.value)
	}
	return w.Flush()
}

// identifier turns name into a valid Verilog identifier.
func identifier(name string) string {
	text := strings.Map(func(r rune) rune {
		switch {
		case r == ',':
			return -1
		case r < 128 && (r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r)):
			return r
		}
		return '_'
	}, name)
	if text == "" || unicode.IsDigit(rune(text[0])) {
		return "n" + text
	}
	return text
}

func closeScope(w io.Writer, scope string) {
	if scope != "" {
		fmt.Fprint(w, "$upscope $end\n")
	}
}
