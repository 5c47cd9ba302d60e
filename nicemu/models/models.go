// Package models is the table of all modelled networks: a name leads to a table of parameters, and
// to a model on a kernel of events.
package models

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	cenju4 "rhinet/nicemu/cenju4/media"
	dimmnet2 "rhinet/nicemu/dimmnet2/media"
	"rhinet/nicemu/loggp"
	"rhinet/nicemu/martini/media"
	"rhinet/nicemu/medium"
	"rhinet/nicemu/network"
	"rhinet/nicemu/param"
	sync "rhinet/nicemu/sync/media"
	"rhinet/nicemu/vtime"
)

// A Choice is a model with its parameters, before the model is made.
type Choice struct {
	Name     string
	Params   *param.Table
	topology *network.Topology // nil: the model's own
	said     string            // the text that named the topology; "" if none was named
	entry    entry
}

// entry is one row of the table.
type entry struct {
	name   string
	params func() *param.Table
	make   func(k *vtime.Kernel, ranks int, c *Choice) (medium.Model, error)
	placed bool // accepts a topology, and has too many parameters to list them all
}

func table() []entry {
	all := []entry{
		{"cenju4", cenju4.Parameters, func(k *vtime.Kernel, ranks int, c *Choice) (medium.Model, error) {
			return cenju4.New(k, ranks, c.Params)
		}, false},
		{"dimmnet2", dimmnet2.Parameters, func(k *vtime.Kernel, ranks int, c *Choice) (medium.Model, error) {
			return dimmnet2.New(k, ranks, c.Params)
		}, false},
		{"fattree", loggp.FatTreeParameters, func(k *vtime.Kernel, ranks int, c *Choice) (medium.Model, error) {
			return loggp.NewFatTree(k, ranks, c.Params)
		}, false},
		{"loggp", loggp.Parameters, func(k *vtime.Kernel, ranks int, c *Choice) (medium.Model, error) {
			return loggp.New(k, ranks, c.Params), nil
		}, false},
	}
	for _, layer := range media.Layers() {
		all = append(all, martini(layer))
	}
	return append(all, entry{"sync", sync.Parameters, func(k *vtime.Kernel, ranks int, c *Choice) (medium.Model, error) {
		return sync.New(k, ranks, c.Params)
	}, false})
}

// martini returns the entry of a message layer on Martini.
func martini(layer string) entry {
	params := func() *param.Table {
		t, err := media.Parameters(layer)
		if err != nil {
			panic(err) // a layer in the list without parameters
		}
		return t
	}
	return entry{strings.TrimSuffix("martini:"+layer, ":"), params, func(k *vtime.Kernel, ranks int, c *Choice) (medium.Model, error) {
		return media.New(k, layer, ranks, c.topology, c.Params)
	}, true}
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
			c := Choice{Name: name, Params: e.params(), entry: e}
			if settings == "" {
				return c, nil
			}
			return c, c.Set(strings.Split(settings, ",")...)
		}
	}
	return Choice{}, fmt.Errorf("no model of a network is called %q; there is %s", name, strings.Join(Names(), ", "))
}

// Set applies settings NAME=VALUE.
func (c *Choice) Set(settings ...string) error {
	for _, s := range settings {
		if err := c.Params.Set(c.plain(s)); err != nil {
			text := strings.TrimPrefix(err.Error(), "param: ")
			switch name, _, _ := strings.Cut(s, "="); {
			case c.has(name), strings.Contains(text, "; there is "):
			case c.entry.placed:
				text += "; the names of its parameters begin with " + strings.Join(c.parts(), ", ")
			default:
				text += "; " + c.Name + " has " + c.list()
			}
			return fmt.Errorf("%s: %s", c.Name, text)
		}
	}
	return nil
}

// SetTopology sets the topology of the network: that of a file, which in reads, or of a rule if in
// is nil.
func (c *Choice) SetTopology(text string, in io.Reader) error {
	if !c.entry.placed {
		return fmt.Errorf("%s has no topology that could be given; martini has", c.Name)
	}
	t, err := network.NamedTopology(text, in, 1)
	if err != nil {
		return errors.New(strings.TrimPrefix(err.Error(), "network: "))
	}
	c.topology, c.said = t, text
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

// parts returns how the names of the parameters begin, up to the dot.
func (c *Choice) parts() (all []string) {
	for _, p := range c.Params.All() {
		if part, _, dot := strings.Cut(p.Name, "."); dot && !slices.Contains(all, part+".") {
			all = append(all, part+".")
		}
	}
	return all
}

// list names the parameters.
func (c *Choice) list() string {
	var names []string
	for _, p := range c.Params.All() {
		names = append(names, p.Name)
	}
	return strings.Join(names, ", ")
}

// units are the units of time that a value may have, in nanoseconds; a suffix comes before those
// that it ends in.
var units = [...]struct {
	suffix string
	ns     float64
}{{"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}}

// plain returns a setting with its value in nanoseconds and without the unit.
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

// String writes the model with its parameters, in the form that Parse reads. If a model has very
// many parameters, only those that differ from their defaults are written, and the topology after
// them.
func (c Choice) String() string {
	var parts []string
	fresh := c.entry.params()
	for _, p := range c.Params.All() {
		if text := p.Name + "=" + p.Text(); !c.entry.placed || fresh.Value(p.Name) != p.Value {
			parts = append(parts, text)
		}
	}
	text := c.Name
	if len(parts) > 0 {
		text += ":" + strings.Join(parts, ",")
	}
	return text
}

// Topology returns the name of the topology for the given number of ranks; "" if the model has
// none.
func (c Choice) Topology(ranks int) string {
	switch {
	case !c.entry.placed:
		return ""
	case c.said != "":
		return c.said
	}
	return media.Cluster(ranks)
}

// New makes the network of the given number of ranks. The caller closes a model that is an
// io.Closer after use.
func (c Choice) New(k *vtime.Kernel, ranks int) (medium.Model, error) {
	return c.entry.make(k, ranks, &c)
}

// Check reports whether the parameters fit together and work for the given number of ranks.
func (c Choice) Check(ranks int) error {
	m, err := c.New(new(vtime.Kernel), ranks)
	if err != nil {
		text := strings.TrimPrefix(strings.TrimPrefix(err.Error(), "param: "), "network: ")
		return fmt.Errorf("%s: %s", c.Name, text)
	}
	if m, ok := m.(io.Closer); ok {
		return m.Close()
	}
	return nil
}
