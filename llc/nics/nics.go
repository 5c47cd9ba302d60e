// Package nics is the one table of NICs: a name leads to the translator that
// drives it. Nothing else imports translators, so that no part of the runtime
// can lean on one of them.
package nics

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"rhinet/llc/entry"
	"rhinet/llc/ir"
	"rhinet/llc/martini"
	"rhinet/llc/martinipm"
	"rhinet/llc/timed"
	"rhinet/nicemu/fabric"
)

// Default is the name of the NIC that jobs use unless told otherwise.
const Default = "martini"

// AttachVariable is the environment variable that says how the memory of other
// processes is reached: auto (try cross-memory attach), on (insist on it) or
// off (copy through rings). All ranks of a job need the same value.
const AttachVariable = "RHINET_CMA"

// table returns what the NICs export.
func table() []entry.NIC { return append(martinipm.Entries(), martini.Entry(), timed.Entry()) }

// Timed is the name of the NIC of jobs in virtual time. Their launcher chooses
// it; users cannot.
const Timed = timed.Name

// find returns the entry of a name without settings.
func find(name string) (entry.NIC, bool) {
	for _, n := range table() {
		if n.Name == name {
			return n, true
		}
	}
	return entry.NIC{}, false
}

// Register enters the processes of a job into the tables of their NICs of the
// given name: the part of the job's manager, before any of them runs.
func Register(name string, f *fabric.Fabric) error {
	n, _, err := parse(name)
	if err != nil || n.Register == nil {
		return err
	}
	return n.Register(f)
}

// Geometry returns the memory that a job of the given number of ranks needs
// for a NIC: g, or more where the NIC asks for it.
func Geometry(name string, g fabric.Geometry, ranks int) fabric.Geometry {
	if n, _, err := parse(name); err == nil && n.Geometry != nil {
		return n.Geometry(g, ranks)
	}
	return g
}

// Names returns the names of all NICs that users can choose, in order, without
// settings.
func Names() []string {
	var names []string
	for _, n := range table() {
		if !n.Hidden {
			names = append(names, n.Name)
		}
	}
	slices.Sort(names)
	return names
}

// Check reports what is wrong with a name that a user chose, which may have
// settings.
func Check(name string) error {
	n, _, err := parse(name)
	if err == nil && n.Hidden {
		err = unknown()
	}
	return err
}

// Open connects a rank to its NIC of the given name in the memory of a job.
// An unknown name is an error that lists the known ones. The translator does
// not own f, which is closed after it. It is watched as [DebugVariable] says.
func Open(name string, f *fabric.Fabric, rank int) (ir.Translator, error) {
	d, err := ParseDebug(os.Getenv(DebugVariable))
	if err != nil {
		return nil, fmt.Errorf("nics: %s: %s", DebugVariable, strings.TrimPrefix(err.Error(), "nics: "))
	}
	t, err := open(name, f, rank)
	if err != nil {
		return nil, err
	}
	return d.watch(t), nil
}

// open is Open of a translator that nobody watches.
func open(name string, f *fabric.Fabric, rank int) (ir.Translator, error) {
	n, setting, err := parse(name)
	if err != nil {
		return nil, fmt.Errorf("nics: NIC %q: %w", name, err)
	}
	attach, err := fabric.ParseAttach(os.Getenv(AttachVariable))
	if err != nil {
		return nil, fmt.Errorf("nics: %s: %w", AttachVariable, err)
	}
	return n.Open(f, rank, entry.Options{Attach: attach, Setting: setting})
}
