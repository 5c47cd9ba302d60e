// Package models is the one table of modelled networks: a name leads to a
// table of parameters, and to a model on a kernel of events.
package models

import (
	"fmt"
	"strconv"
	"strings"

	"rhinet/nicemu/loggp"
	"rhinet/nicemu/medium"
	"rhinet/nicemu/param"
	"rhinet/nicemu/vtime"
)

// A Choice is a model with its parameters, before it is made.
type Choice struct {
	Name   string
	Params *param.Table
	make   func(*vtime.Kernel, int, *param.Table) (medium.Model, error)
}

// entry is one row of the table.
type entry struct {
	name   string
	params func() *param.Table
	make   func(*vtime.Kernel, int, *param.Table) (medium.Model, error)
}

func table() []entry {
	return []entry{
		{"fattree", loggp.FatTreeParameters, func(k *vtime.Kernel, ranks int, t *param.Table) (medium.Model, error) {
			return loggp.NewFatTree(k, ranks, t)
		}},
		{"loggp", loggp.Parameters, func(k *vtime.Kernel, ranks int, t *param.Table) (medium.Model, error) {
			return loggp.New(k, ranks, t), nil
		}},
	}
}

// Names returns the names of all models in order.
func Names() []string {
	var names []string
	for _, e := range table() {
		names = append(names, e.name)
	}
	return names
}

// Parse reads NAME, or NAME:PARAMETER=VALUE,... A value may have a unit of time
// where the parameter is a time: L=1.5us.
func Parse(text string) (Choice, error) {
	name, settings := text, ""
	if i := strings.IndexByte(text, '='); i >= 0 {
		i = strings.LastIndexByte(text[:i], ':')
		name, settings = text[:max(i, 0)], text[i+1:]
	}
	for _, e := range table() {
		if e.name == name {
			c := Choice{name, e.params(), e.make}
			return c, c.set(settings)
		}
	}
	return Choice{}, fmt.Errorf("no model of a network is called %q; there is %s", name, strings.Join(Names(), ", "))
}

// set carries out the settings, which are separated by commas.
func (c *Choice) set(settings string) error {
	if settings == "" {
		return nil
	}
	for s := range strings.SplitSeq(settings, ",") {
		if err := c.Params.Set(c.plain(s)); err != nil {
			text := strings.TrimPrefix(err.Error(), "param: ")
			if name, _, _ := strings.Cut(s, "="); !c.has(name) {
				text += "; " + c.Name + " has " + c.list()
			}
			return fmt.Errorf("%s: %s", c.Name, text)
		}
	}
	return nil
}

func (c *Choice) has(name string) bool {
	for _, p := range c.Params.All() {
		if p.Name == name {
			return true
		}
	}
	return false
}

// list names the parameters.
func (c *Choice) list() string {
	var names []string
	for _, p := range c.Params.All() {
		names = append(names, p.Name)
	}
	return strings.Join(names, ", ")
}

// units are the units of time that a value may have, in nanoseconds; a longer
// suffix comes before one that it ends in.
var units = [...]struct {
	suffix string
	ns     float64
}{{"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}}

// plain returns a setting without the unit of its value.
func (c *Choice) plain(setting string) string {
	name, value, _ := strings.Cut(setting, "=")
	for _, p := range c.Params.All() {
		if p.Name != name || p.Unit != "ns" {
			continue
		}
		for _, u := range units {
			number, ok := strings.CutSuffix(value, u.suffix)
			if v, err := strconv.ParseFloat(number, 64); ok && err == nil {
				return name + "=" + strconv.FormatFloat(v*u.ns, 'g', -1, 64)
			}
		}
	}
	return setting
}

// String writes the model with all its parameters, as Parse reads it.
func (c Choice) String() string {
	var b strings.Builder
	b.WriteString(c.Name)
	for i, p := range c.Params.All() {
		b.WriteByte(":,"[min(i, 1)])
		b.WriteString(p.Name + "=" + p.Text())
	}
	return b.String()
}

// New makes the network of so many ranks.
func (c Choice) New(k *vtime.Kernel, ranks int) (medium.Model, error) {
	return c.make(k, ranks, c.Params)
}

// Check reports what is wrong with the parameters together.
func (c Choice) Check() error {
	_, err := c.New(new(vtime.Kernel), 1)
	if err != nil {
		return fmt.Errorf("%s: %s", c.Name, strings.TrimPrefix(err.Error(), "param: "))
	}
	return nil
}
