// Package param holds the parameters of the timing models: every number that a model uses has a
// name, a unit and a source, is in one table, and can be set.
package param

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// ErrSetting is wrapped by errors about values that cannot be set.
var ErrSetting = errors.New("param: bad setting")

// A Parameter is one number of a model, or one choice among named ones.
type Parameter struct {
	Name    string // "link.length"
	Unit    string // "m"; "" for a choice
	Value   float64
	Least   float64
	Most    float64
	Whole   bool     // takes whole numbers only
	Choices []string // if not nil, Value is the index of one of these
	About   string   // what it is
	Source  string   // section of a specification, or "chosen, because ..."
}

// Text returns the value in the form that Set reads.
func (p Parameter) Text() string {
	if p.Choices != nil {
		return p.Choices[int(p.Value)]
	}
	return strconv.FormatFloat(p.Value, 'g', -1, 64)
}

// A Table is a list of parameters with different names.
type Table struct{ rows []Parameter }

// New returns a table of rows, which must be consistent.
func New(rows ...Parameter) *Table {
	t := &Table{}
	for _, p := range rows {
		if p.Choices != nil {
			p.Least, p.Most, p.Whole = 0, float64(len(p.Choices)-1), true
		}
		if t.find(p.Name) >= 0 || p.allows(p.Value) != nil || p.Source == "" || p.About == "" {
			panic("param: the row of " + p.Name + " is wrong")
		}
		t.rows = append(t.rows, p)
	}
	return t
}

func (t *Table) find(name string) int {
	return slices.IndexFunc(t.rows, func(p Parameter) bool { return p.Name == name })
}

// All returns the rows in their order.
func (t *Table) All() []Parameter { return slices.Clone(t.rows) }

// Clone returns a table that is set independently.
func (t *Table) Clone() *Table { return &Table{slices.Clone(t.rows)} }

// Value returns the value of a parameter, which must exist.
func (t *Table) Value(name string) float64 {
	i := t.find(name)
	if i < 0 {
		panic("param: no parameter " + name)
	}
	return t.rows[i].Value
}

// Int returns the value of a parameter of whole numbers.
func (t *Table) Int(name string) int { return int(t.Value(name)) }

// Choice returns the chosen name.
func (t *Table) Choice(name string) string { return t.rows[t.find(name)].Text() }

// Set applies "NAME=VALUE".
func (t *Table) Set(text string) error {
	name, value, ok := strings.Cut(text, "=")
	if !ok {
		return fmt.Errorf("%w %q: write NAME=VALUE", ErrSetting, text)
	}
	i := t.find(name)
	if i < 0 {
		return fmt.Errorf("%w: unknown parameter %q%s", ErrSetting, name, t.near(name))
	}
	p := &t.rows[i]
	if p.Choices != nil {
		c := slices.Index(p.Choices, value)
		if c < 0 {
			return fmt.Errorf("%w: %s is one of %s, not %q", ErrSetting, name, strings.Join(p.Choices, ", "), value)
		}
		p.Value = float64(c)
		return nil
	}
	v, err := strconv.ParseFloat(value, 64)
	if err != nil {
		return fmt.Errorf("%w: %s is a number of %s, not %q", ErrSetting, name, p.Unit, value)
	}
	if err := p.allows(v); err != nil {
		return err
	}
	p.Value = v
	return nil
}

// SetAll applies settings in order, up to the first that fails.
func (t *Table) SetAll(settings []string) error {
	for _, s := range settings {
		if err := t.Set(s); err != nil {
			return err
		}
	}
	return nil
}

func (p *Parameter) allows(v float64) error {
	if !(v >= p.Least && v <= p.Most) {
		return fmt.Errorf("%w: %s is %g to %g %s, not %g", ErrSetting, p.Name, p.Least, p.Most, p.Unit, v)
	}
	if p.Whole && v != math.Trunc(v) {
		return fmt.Errorf("%w: %s is a whole number of %s, not %g", ErrSetting, p.Name, p.Unit, v)
	}
	return nil
}

// near lists the parameters of the same part of the model.
func (t *Table) near(name string) string {
	part, _, _ := strings.Cut(name, ".")
	var names []string
	for _, p := range t.rows {
		if strings.HasPrefix(p.Name, part+".") {
			names = append(names, p.Name)
		}
	}
	if len(names) == 0 {
		return ""
	}
	return "; there is " + strings.Join(names, ", ")
}
