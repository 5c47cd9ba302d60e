package tracetest

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// A Dump is a valid value change dump.
type Dump struct {
	Vars    []Var  // in the order of the file
	Changes int    // after the initial values
	Last    uint64 // time, in units of Unit
	Unit    string // "1ps"
}

// A Var is a variable of a dump.
type Var struct {
	Name string // including its scopes: "node_0.RFend"
	Type string // "integer", "string"
	Bits int
	code string
	sets int // values in $dumpvars
}

// VCD parses a value change dump (IEEE 1364-2005, clause 18.2), and returns the first violation of the
// standard. Besides the types of the standard it accepts "string", with values such as "sIDLE !": GTKWave's
// extension.
func VCD(text []byte) (*Dump, error) {
	r := &reader{words: strings.Fields(string(text)), vars: map[string]*Var{}, names: map[string]bool{}}
	for !r.defined {
		if err := r.declaration(); err != nil {
			return nil, r.at(err)
		}
	}
	for r.next < len(r.words) {
		if err := r.simulation(); err != nil {
			return nil, r.at(err)
		}
	}
	if !r.dumped {
		return nil, errors.New("no initial values")
	}
	for i := range r.dump.Vars {
		r.dump.Vars[i] = *r.vars[r.dump.Vars[i].code]
	}
	return &r.dump, nil
}

// reader is a dump that is being parsed.
type reader struct {
	words   []string
	next    int
	dump    Dump
	vars    map[string]*Var // by code
	names   map[string]bool
	scopes  []string
	defined bool // $enddefinitions has been read
	dumped  bool // $dumpvars has been read
	timed   bool // a time has been read
}

func (r *reader) at(err error) error { return fmt.Errorf("word %d: %w", r.next, err) }

var errEnd = errors.New("it ends too early")

// word reads the next word.
func (r *reader) word() (string, error) {
	if r.next == len(r.words) {
		return "", errEnd
	}
	r.next++
	return r.words[r.next-1], nil
}

// section reads the words of a section up to $end.
func (r *reader) section() ([]string, error) {
	n := slices.Index(r.words[r.next:], "$end")
	if n < 0 {
		return nil, errEnd
	}
	body := r.words[r.next : r.next+n]
	r.next += n + 1
	return body, nil
}

// declaration reads a section of the header.
func (r *reader) declaration() error {
	keyword, err := r.word()
	if err != nil {
		return err
	}
	body, err := r.section()
	if err != nil {
		return err
	}
	switch keyword {
	case "$comment", "$date", "$version":
		return nil
	case "$timescale":
		return r.timescale(strings.Join(body, ""))
	case "$scope":
		return r.scope(body)
	case "$upscope":
		if len(body) != 0 || len(r.scopes) == 0 {
			return errors.New("$upscope without a scope")
		}
		r.scopes = r.scopes[:len(r.scopes)-1]
		return nil
	case "$var":
		return r.declare(body)
	case "$enddefinitions":
		r.defined = true
		if len(body) != 0 || len(r.scopes) != 0 || r.dump.Unit == "" || len(r.vars) == 0 {
			return errors.New("the header ends in a scope, without a unit of time, or without variables")
		}
		return nil
	}
	return fmt.Errorf("%q is no section of a header", keyword)
}

var unit = regexp.MustCompile(`^10?0?(s|ms|us|ns|ps|fs)$`)

func (r *reader) timescale(text string) error {
	if r.dump.Unit != "" || !unit.MatchString(text) {
		return fmt.Errorf("$timescale %s", text)
	}
	r.dump.Unit = text
	return nil
}

var (
	scopes     = regexp.MustCompile(`^(begin|fork|function|module|task)$`)
	types      = regexp.MustCompile(`^(event|integer|parameter|real|realtime|reg|supply0|supply1|time|tri|triand|trior|trireg|tri0|tri1|wand|wire|wor|string)$`)
	identifier = regexp.MustCompile(`^([a-zA-Z_][a-zA-Z0-9_$]*|\\[!-~]+)$`)
	code       = regexp.MustCompile(`^[!-~]+$`)
)

func (r *reader) scope(body []string) error {
	if len(body) != 2 || !scopes.MatchString(body[0]) || !identifier.MatchString(body[1]) {
		return fmt.Errorf("$scope %q", body)
	}
	r.scopes = append(r.scopes, body[1])
	return nil
}

func (r *reader) declare(body []string) error {
	if len(body) != 4 {
		return fmt.Errorf("$var %q", body)
	}
	bits, err := strconv.Atoi(body[1])
	v := &Var{Name: strings.Join(append(slices.Clone(r.scopes), body[3]), "."), Type: body[0], Bits: bits, code: body[2]}
	switch {
	case err != nil || bits < 1 || !types.MatchString(v.Type) || !code.MatchString(v.code) || !identifier.MatchString(body[3]):
		return fmt.Errorf("$var %q", body)
	case r.vars[v.code] != nil:
		return fmt.Errorf("%s has the code %s of %s", v.Name, v.code, r.vars[v.code].Name)
	case r.names[v.Name]:
		return fmt.Errorf("two variables are called %s", v.Name)
	}
	r.vars[v.code], r.names[v.Name] = v, true
	r.dump.Vars = append(r.dump.Vars, *v)
	return nil
}

// simulation reads a command after the header.
func (r *reader) simulation() error {
	word, err := r.word()
	if err != nil {
		return err
	}
	switch {
	case word == "$dumpvars":
		return r.initial()
	case word[0] == '#':
		t, err := strconv.ParseUint(word[1:], 10, 64)
		if err != nil || r.timed && t <= r.dump.Last {
			return fmt.Errorf("time %s after %d", word, r.dump.Last)
		}
		r.dump.Last, r.timed = t, true
		return nil
	case !r.dumped || !r.timed:
		return fmt.Errorf("%q before the initial values, or before a time", word)
	}
	r.dump.Changes++
	_, err = r.value(word)
	return err
}

// initial reads the first value of each variable.
func (r *reader) initial() error {
	if r.dumped {
		return errors.New("initial values again")
	}
	r.dumped = true
	for {
		word, err := r.word()
		if err != nil {
			return err
		}
		if word == "$end" {
			break
		}
		v, err := r.value(word)
		if err != nil {
			return err
		}
		v.sets++
	}
	for _, v := range r.vars {
		if v.sets != 1 {
			return fmt.Errorf("%d initial values of %s", v.sets, v.Name)
		}
	}
	return nil
}

// value reads a value, whose first word is given, and returns its variable.
func (r *reader) value(word string) (*Var, error) {
	kind, value, of := word[0], word[1:], ""
	if strings.IndexByte("01xXzZ", kind) >= 0 {
		value, of = word[:1], word[1:]
	} else {
		var err error
		if of, err = r.word(); err != nil {
			return nil, err
		}
	}
	v := r.vars[of]
	if v == nil {
		return nil, fmt.Errorf("a value %s of %q, which is not declared", word, of)
	}
	if !v.takes(kind, value) {
		return nil, fmt.Errorf("a value %s of %s, %s of %d bits", word, v.Name, v.Type, v.Bits)
	}
	return v, nil
}

// takes reports whether a variable can have a value.
func (v *Var) takes(kind byte, value string) bool {
	switch kind {
	case 'b', 'B':
		return v.Type != "string" && v.Type != "real" && value != "" && len(value) <= v.Bits && strings.Trim(value, "01xXzZ") == ""
	case 'r', 'R':
		_, err := strconv.ParseFloat(value, 64)
		return (v.Type == "real" || v.Type == "realtime") && err == nil
	case 's':
		return v.Type == "string" && value != ""
	case '0', '1', 'x', 'X', 'z', 'Z':
		return v.Bits == 1 && v.Type != "string" && v.Type != "real"
	}
	return false
}
