// Package nics is the one table of NICs: a name leads to the translator that
// drives it. Nothing else imports translators, so that no part of the runtime
// can lean on one of them.
package nics

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"rhinet/llc/ir"
	"rhinet/llc/martini"
	"rhinet/llc/martinipm"
	"rhinet/nicemu/fabric"
	nic "rhinet/nicemu/martini"
	"rhinet/nicemu/martini/pm"
)

// Default is the name of the NIC that jobs use unless told otherwise.
const Default = "martini"

// AttachVariable is the environment variable that says how the memory of other
// processes is reached: auto (try cross-memory attach), on (insist on it) or
// off (copy through rings). All ranks of a job need the same value.
const AttachVariable = "RHINET_CMA"

// table holds the constructors. It is read only.
var table = map[string]func(f *fabric.Fabric, rank int, o nic.Options, s settings) (ir.Translator, error){
	"martini":    openMartini,
	throttling:   openPM,
	"martini:vp": openVP,
}

// Register enters the processes of a job into the tables of their NICs: the
// part of the job's manager, before any of them runs. Every NIC of the table is
// a Martini below its name.
func Register(f *fabric.Fabric) error {
	_, err := nic.Manage(f)
	return err
}

// Geometry returns the memory that a job of the given number of ranks needs
// for a NIC: g, or more where the NIC's layer keeps memory for each pair.
func Geometry(name string, g fabric.Geometry, ranks int) fabric.Geometry {
	if base, _, err := parse(name); err == nil && base == throttling {
		return pm.Geometry(g, ranks)
	}
	return g
}

// Names returns the names of all NICs in order, without settings.
func Names() []string {
	var names []string
	for name := range table {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// Check reports what is wrong with a name, which may have settings.
func Check(name string) error {
	_, _, err := parse(name)
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
	base, s, err := parse(name)
	if err != nil {
		return nil, fmt.Errorf("nics: NIC %q: %w", name, err)
	}
	attach, err := nic.ParseAttach(os.Getenv(AttachVariable))
	if err != nil {
		return nil, fmt.Errorf("nics: %s: %w", AttachVariable, err)
	}
	return table[base](f, rank, nic.Options{Attach: attach}, s)
}

func openMartini(f *fabric.Fabric, rank int, o nic.Options, _ settings) (ir.Translator, error) {
	return opened(martini.Open(f, rank, o))
}

func openPM(f *fabric.Fabric, rank int, o nic.Options, s settings) (ir.Translator, error) {
	return opened(martinipm.OpenRHiNET(f, rank, o, pm.Options{Throttle: s.throttle}))
}

func openVP(f *fabric.Fabric, rank int, o nic.Options, _ settings) (ir.Translator, error) {
	return opened(martinipm.OpenVP(f, rank, o))
}

// opened hides the type of a translator, which is nil if there is an error.
func opened[T ir.Translator](t T, err error) (ir.Translator, error) {
	if err != nil {
		return nil, err
	}
	return t, nil
}
