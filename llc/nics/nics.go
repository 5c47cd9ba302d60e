// Package nics is the one table of NICs: a name leads to the translator that drives the NIC. Nothing else
// imports translators, so that no part of the runtime can depend on one of them.
package nics

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"rhinet/internal/hugepage"
	"rhinet/llc/cenju4"
	"rhinet/llc/checksum"
	"rhinet/llc/dimmnet2"
	"rhinet/llc/entry"
	"rhinet/llc/ib"
	"rhinet/llc/ir"
	"rhinet/llc/martini"
	"rhinet/llc/martinipm"
	"rhinet/llc/ofi"
	"rhinet/llc/sync"
	"rhinet/llc/tcp"
	"rhinet/llc/timed"
	"rhinet/llc/tofu"
	"rhinet/nicemu/fabric"
)

// Default is the name of the NIC that jobs use if none is named.
const Default = "martini"

// Variable is the environment variable that names the NIC: of a job for mpirun, if its flag --nic does not, of a
// program that is started without it, and of tests.
const Variable = "RHINET_NIC"

// AttachVariable is the environment variable that says how the memory of other processes is reached: auto
// (try cross-memory attach), on (insist on it) or off (copy through rings). All ranks of a job need the same
// value.
const AttachVariable = "RHINET_CMA"

// table returns what the NICs export.
func table() []entry.NIC {
	return append(martinipm.Entries(), martini.Entry(), ib.Entry(), ib.DatagramEntry(), ib.DemandEntry(), tofu.Entry(), dimmnet2.Entry(), cenju4.Entry(), sync.Entry(), ofi.Entry(), tcp.Entry(), timed.Entry())
}

// Timed is the name of the NIC of jobs in virtual time. Their launcher chooses it; users cannot.
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

// Register enters the processes of a job into the tables of their NICs of the given name: the part of the
// job's manager, before any of them runs.
func Register(name string, f *fabric.Fabric) error {
	return ofEach(name, func(n entry.NIC) error {
		if n.Register == nil {
			return nil
		}
		return n.Register(f)
	})
}

// Geometry returns the memory that a job of the given number of ranks needs for a NIC: g, or more where the
// NIC asks for it.
func Geometry(name string, g fabric.Geometry, ranks int) fabric.Geometry {
	_ = ofEach(name, func(n entry.NIC) error {
		if n.Geometry != nil {
			g = n.Geometry(g, ranks)
		}
		return nil
	})
	return g
}

// Names returns the names of all NICs that users can choose for any program, in order, without settings.
func Names() []string {
	return names(func(n entry.NIC) bool { return !n.Hidden && n.Tag == "" })
}

// Selectable returns the names of all NICs that users can choose, including those that need programs built
// with a tag.
func Selectable() []string { return names(func(n entry.NIC) bool { return !n.Hidden }) }

func names(want func(entry.NIC) bool) []string {
	var names []string
	for _, n := range table() {
		if want(n) {
			names = append(names, n.Name)
		}
	}
	slices.Sort(names)
	return names
}

// Tag returns the build tags of programs that use a NIC, "" if they need none.
func Tag(name string) string {
	return strings.Join(tags(name), ",")
}

// Check returns an error if a name that a user chose, which may have settings, is wrong.
func Check(name string) error {
	n, _, err := parse(name)
	if err == nil && n.Hidden {
		err = unknown()
	}
	return err
}

// Open connects a rank to its NIC of the given name in the memory of a job. An unknown name is an error that
// lists the known ones. The translator does not own f, which is closed after it. It is checked as
// [DebugVariable] says.
func Open(name string, f *fabric.Fabric, rank int) (ir.Translator, error) {
	return openWatched(name, f, rank, nil)
}

// openWatched is Open for a rank of a job that may be on several hosts.
func openWatched(name string, f *fabric.Fabric, rank int, net *entry.Network) (ir.Translator, error) {
	d, err := ParseDebug(os.Getenv(DebugVariable))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", DebugVariable, err)
	}
	return watched(name, f, rank, net, d)
}

// OpenWatched is Open for a translator that is checked as d says, whatever the environment says.
func OpenWatched(name string, f *fabric.Fabric, rank int, d Debug) (ir.Translator, error) {
	return watched(name, f, rank, nil, d)
}

func watched(name string, f *fabric.Fabric, rank int, net *entry.Network, d Debug) (ir.Translator, error) {
	t, err := d.openNIC(name, f, rank, net)
	if err != nil {
		return nil, err
	}
	return d.watch(t), nil
}

// openNIC opens a translator whose contract is not checked.
func (d Debug) openNIC(name string, f *fabric.Fabric, rank int, net *entry.Network) (ir.Translator, error) {
	near, far, two := cut(name)
	if two {
		return d.both(near, far, f, rank, net)
	}
	t, err := d.open(name, f, rank, entry.Options{Network: net})
	if err != nil || net == nil {
		return t, err
	}
	// Memory that ranks on one host share does not reach those on others.
	a := ir.AbilitiesOf(t)
	a.Memory = nil
	return a.Give(t), nil
}

// open opens the translator of one NIC, with checksums if d asks for them.
func (d Debug) open(name string, f *fabric.Fabric, rank int, o entry.Options) (ir.Translator, error) {
	n, setting, err := parse(name)
	if err != nil {
		return nil, fmt.Errorf("nics: NIC %q: %w", name, err)
	}
	if o.Network != nil && !n.Spreads {
		return nil, fmt.Errorf("nics: NIC %q %w", name, errOneHost)
	}
	if o.Attach, err = fabric.ParseAttach(os.Getenv(AttachVariable)); err != nil {
		return nil, fmt.Errorf("%s: %w", AttachVariable, err)
	}
	if err := hugepage.Check(os.Getenv(hugepage.Variable)); err != nil {
		return nil, fmt.Errorf("%s: %w", hugepage.Variable, err)
	}
	o.Setting = setting
	t, err := n.Open(f, rank, o)
	if err == nil && d.Checksum {
		t = checksum.Wrap(t)
	}
	return t, err
}
