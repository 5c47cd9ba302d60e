package main

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/pflag"
)

// twoValues marks flags that take a name and a value as two words.
const twoValues = "two-values"

// addForeign declares, hidden from the help, the spellings of other launchers
// that mean something here, those that ask for what is so anyway, and those
// that cannot be had, to say why.
func (req *request) addForeign(fs *pflag.FlagSet) {
	hidden := func(name, short string, set func(string) error) {
		fs.FuncP(name, short, "", set)
		fs.Lookup(name).Hidden = true
	}
	alias := func(name, short, of string) {
		f := *fs.Lookup(of)
		f.Name, f.Shorthand, f.Hidden = name, short, true
		fs.AddFlag(&f)
	}
	hidden("c", "c", req.setRanks)
	alias("n", "", "np")
	alias("x", "", "export")
	alias("wd", "", "wdir")
	alias("prepend-rank", "", "tag-output")
	alias("display-map", "", "verbose")
	alias("report-bindings", "", "verbose")

	hidden("host", "H", checkHosts)
	alias("hosts", "", "host")
	hidden("map-by", "", checkPolicy)
	alias("rank-by", "", "map-by")
	hidden("env", "", req.setEnv)
	hidden("genv", "", req.setGlobalEnv)
	for _, name := range []string{"env", "genv"} {
		fs.Lookup(name).Annotations = map[string][]string{twoValues: {}}
	}
	for _, name := range []string{"oversubscribe", "allow-run-as-root", "genvall", "envall"} {
		fs.BoolFunc(name, "", func(string) error { return nil })
		fs.Lookup(name).Hidden = true
	}
	for _, r := range refused {
		for _, name := range r.names {
			why := errors.New(r.why)
			fs.BoolFunc(name, "", func(string) error { return why })
			fs.Lookup(name).Hidden = true
		}
	}
}

// refused lists flags of other launchers that cannot be had here. They are
// declared without values so that the reason comes first.
var refused = []struct {
	names []string
	why   string
}{
	{[]string{"hostfile", "machinefile", "default-hostfile", "f"}, "ranks run on this machine only; leave the flag out"},
	{[]string{"N", "npernode", "ppn", "perhost", "pernode"}, "ranks run on this machine only; -n says how many"},
	{[]string{"mca", "gmca", "prtemca", "pmixmca"}, "components of another launcher mean nothing here; leave the flag out"},
	{[]string{"launcher", "rmk", "iface", "prefix", "bootstrap"}, "ranks run on this machine only; leave the flag out"},
	{[]string{"configfile", "app"}, "there are no files of arguments; write the parts with a colon between them"},
	{[]string{"genvnone", "envnone"}, "ranks inherit the environment; env -i mpirun ... gives them an empty one"},
}

// checkHosts accepts a list of names of this machine.
func checkHosts(list string) error {
	own, _ := os.Hostname()
	for _, host := range strings.Split(list, ",") {
		name := host
		if i := strings.LastIndexByte(host, ':'); i > 0 && strings.Count(host, ":") == 1 {
			name = host[:i] // a number of slots, which need not be counted here
		}
		if !slices.Contains([]string{"localhost", "127.0.0.1", "::1", own}, name) {
			return fmt.Errorf("%q is not this machine (localhost), and ranks run nowhere else", host)
		}
	}
	return nil
}

// checkPolicy accepts the orders of placement of other launchers, which all
// come to the same on one machine: ranks take the cores in turn.
func checkPolicy(v string) error {
	policy, _, _ := strings.Cut(strings.ToLower(v), ":")
	known := []string{"core", "hwthread", "slot", "node", "socket", "package", "numa", "l1cache", "l2cache", "l3cache", "board"}
	if !slices.Contains(known, policy) {
		return fmt.Errorf("known are %s", strings.Join(known, ", "))
	}
	return nil
}
