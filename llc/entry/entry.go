// Package entry is what a NIC gives the table of NICs: how to open it, the memory that it needs, how a job's
// ranks are registered with it, and the settings of its name. A folder llc/<nic> exports one [NIC] for each
// of its names, and the table knows nothing else of it.
package entry

import (
	"fmt"
	"slices"
	"strings"

	"rhinet/llc/ir"
	"rhinet/nicemu/fabric"
)

// A NIC is one name of the table.
type NIC struct {
	// Name is the name that mpirun takes, and that Caps().Name of the translator begins with.
	Name string
	// Open connects a rank to its NIC in the memory of a job. The translator does not own f.
	Open func(f *fabric.Fabric, rank int, o Options) (ir.Translator, error)
	// Geometry returns the memory that a job of so many ranks needs: g, or more of it. Nil: g is enough.
	Geometry func(g fabric.Geometry, ranks int) fabric.Geometry
	// Register does the part of the job's manager, before any rank runs: it writes the ranks into the tables
	// of their NICs. Nil: there is nothing to write.
	Register func(f *fabric.Fabric) error
	// Tag is the build tag without which Open always fails; empty: there is none.
	Tag string
	// Spreads says that the NIC reaches ranks on other hosts if it is given their Network.
	Spreads bool
	// Hidden says that users cannot choose the NIC; the program that sets up the job does.
	Hidden bool
	// Setting describes what may follow the name; its zero value is nothing.
	Setting Setting
}

// Options are what a rank asks of its NIC.
type Options struct {
	Attach  fabric.Attach // how the memory of other processes is reached
	Setting string        // one of the values of NIC.Setting; empty: the first
	Network *Network      // between the hosts of a job on several; nil: there is one host
	Beside  bool          // another translator enters the job as the rank, and reaches the ranks on this host
}

// A Setting follows the name of a NIC: NAME:KEY=VALUE.
type Setting struct {
	Key    string
	Values []string // the first is the default
}

// Check reports what is wrong with a value.
func (s Setting) Check(value string) error {
	if !slices.Contains(s.Values, value) {
		return fmt.Errorf("no %s %q; it is %s", s.Key, value, strings.Join(s.Values, ", "))
	}
	return nil
}

// String returns the setting in the form of lists of NICs, "" if there is none.
func (s Setting) String() string {
	if s.Key == "" {
		return ""
	}
	return s.Key + "=" + strings.Join(s.Values, "|")
}

// Opened hides the type of a translator, which is nil if there is an error.
func Opened[T ir.Translator](t T, err error) (ir.Translator, error) {
	if err != nil {
		return nil, err
	}
	return t, nil
}
