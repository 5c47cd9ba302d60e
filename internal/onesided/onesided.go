// Package onesided has the names of the alternatives for what windows of one-sided communication do: for a
// whole job in a variable, and for one window in a hint. An alternative that a network or a window does not
// have is ignored.
package onesided

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Variable is the environment variable that names alternatives for a whole job, in the form that [Parse]
// reads. It must have the same value on all ranks.
const Variable = "RHINET_WIN"

// Ways is a set of alternatives; whatever is not in it is done in the default way.
type Ways uint32

// The alternatives.
const (
	RemoteUpdates Ways = 1 << iota // words are updated by the network interface, not by the processor
	NCL                            // locks are Non-Collision Locks, which the network keeps
	OnBoard                        // memory is on the boards of the network interfaces
)

// kinds lists what can be done in several ways, with the names of these; the first is the default.
var kinds = []struct {
	name string
	ways []string
	set  []Ways
}{
	{"update", []string{"processor", "remote"}, []Ways{0, RemoteUpdates}},
	{"lock", []string{"library", "ncl"}, []Ways{0, NCL}},
	{"memory", []string{"host", "board"}, []Ways{0, OnBoard}},
}

// Parse parses a list like "update=remote,lock=ncl". The error for an unknown name lists the valid ones.
func Parse(list string) (w Ways, err error) {
	for item := range strings.SplitSeq(list, ",") {
		if item = strings.TrimSpace(item); item == "" {
			continue
		}
		what, way, ok := strings.Cut(item, "=")
		if !ok {
			return 0, fmt.Errorf("%q is not what=way, such as lock=ncl", item)
		}
		set, err := one(strings.TrimSpace(what), strings.TrimSpace(way))
		if err != nil {
			return 0, err
		}
		w |= set
	}
	return w, nil
}

// ParseJob is Parse for a whole job. Alternatives that change how a program uses a window are an error: the
// program must request them in a hint of the window.
func ParseJob(list string) (Ways, error) {
	w, err := Parse(list)
	if err == nil && w&OnBoard != 0 {
		err = errors.New("memory=board is for single windows, of which a program uses no Local; name it in their hints")
	}
	return w, err
}

// String returns a list for which [Parse] returns w.
func (w Ways) String() string {
	var items []string
	for _, k := range kinds {
		for i, set := range slices.Backward(k.set) {
			if w&set == set {
				items = append(items, k.name+"="+k.ways[i])
				break
			}
		}
	}
	return strings.Join(items, ",")
}

// one returns an alternative by its name.
func one(what, way string) (Ways, error) {
	var names []string
	for _, k := range kinds {
		names = append(names, k.name)
		if k.name != what {
			continue
		}
		i := slices.Index(k.ways, way)
		if i < 0 {
			return 0, fmt.Errorf("no way %q for %s; there are %s", way, what, strings.Join(k.ways, ", "))
		}
		return k.set[i], nil
	}
	return 0, fmt.Errorf("windows have no %q; there are %s", what, strings.Join(names, ", "))
}
