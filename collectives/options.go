package collectives

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// ErrName is the class of a forced algorithm or operation that does not exist.
var ErrName = errors.New("no such name")

// wrongName is an error of class ErrName with its whole text.
type wrongName string

func (e wrongName) Error() string        { return string(e) }
func (e wrongName) Is(target error) bool { return target == ErrName }

// noName words an error of class ErrName. Its text has no prefix: the caller names the variable, the hint or the call
// that the user has given the name in.
func noName(format string, args ...any) error { return wrongName(fmt.Sprintf(format, args...)) }

// Options adjust a Group. They must be equal on all its ranks. The zero value is ready for use.
type Options struct {
	// Oversubscribed says that more ranks run than there are processors. Each
	// dependent step may then cost a context switch, and the table prefers
	// algorithms with few of them.
	Oversubscribed bool
	// Force names, per operation, the algorithm to use instead of the table's choice:
	// "bcast" to "chain". For calls that the algorithm cannot serve, the table chooses
	// as usual.
	Force map[string]string
	// Hosts are the hosts of the group's ranks, if there are several. Then the table
	// prefers algorithms that send a message between two hosts once.
	Hosts []int
	// Rules come before the table; the first rule that holds for a call decides.
	Rules []Rule
}

// ForceVariable is the environment variable that forces algorithms for a whole
// job, in the form that [ParseForce] reads. All ranks need the same value.
const ForceVariable = "RHINET_COLL"

// ParseForce reads a list like "bcast=chain,allreduce=ring" for [Options]. The error
// for an unknown name lists the known ones.
func ParseForce(list string) (map[string]string, error) {
	force := map[string]string{}
	for item := range strings.SplitSeq(list, ",") {
		item = strings.TrimSpace(item)
		if item == "" {
			continue
		}
		op, name, ok := strings.Cut(item, "=")
		if !ok {
			return nil, noName("%q is not operation=algorithm, such as bcast=chain", item)
		}
		force[strings.TrimSpace(op)] = strings.TrimSpace(name)
	}
	_, err := forcedRows(force)
	return force, err
}

// forcedRows resolves the names of Options.Force.
func forcedRows(force map[string]string) (rows [numKinds]*row, err error) {
	for op, name := range force {
		k, err := KindNamed(op)
		if err != nil {
			return rows, err
		}
		i := slices.IndexFunc(table, func(r row) bool { return r.kind == k && r.name == name })
		if i < 0 {
			return rows, noName("no algorithm %q for %s; there are %s", name, op, strings.Join(names(k), ", "))
		}
		rows[k] = &table[i]
	}
	return rows, nil
}
