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
	"rhinet/nicemu/fabric"
	nic "rhinet/nicemu/martini"
)

// Default is the name of the NIC that jobs use unless told otherwise.
const Default = "martini"

// AttachVariable is the environment variable that says how the memory of other
// processes is reached: auto (try cross-memory attach), on (insist on it) or
// off (copy through rings). All ranks of a job need the same value.
const AttachVariable = "RHINET_CMA"

// table holds the constructors. It is read only.
var table = map[string]func(f *fabric.Fabric, rank int) (ir.Translator, error){
	"martini": openMartini,
}

// Names returns the names of all NICs in order.
func Names() []string {
	var names []string
	for name := range table {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// Open connects a rank to its NIC of the given name in the memory of a job.
// An unknown name is an error that lists the known ones. The translator does
// not own f, which is closed after it.
func Open(name string, f *fabric.Fabric, rank int) (ir.Translator, error) {
	open, ok := table[name]
	if !ok {
		return nil, fmt.Errorf("nics: no NIC %q; there is %s", name, strings.Join(Names(), ", "))
	}
	return open(f, rank)
}

func openMartini(f *fabric.Fabric, rank int) (ir.Translator, error) {
	attach, err := nic.ParseAttach(os.Getenv(AttachVariable))
	if err != nil {
		return nil, fmt.Errorf("nics: %s: %w", AttachVariable, err)
	}
	t, err := martini.Open(f, rank, nic.Options{Attach: attach})
	if err != nil {
		return nil, err
	}
	return t, nil
}
