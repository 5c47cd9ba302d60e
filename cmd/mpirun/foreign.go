package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/pflag"
)

// twoValues marks flags that take a name and a value as two words.
const twoValues = "two-values"

// addForeign declares flags of other launchers, hidden from the help: those that have an equivalent here,
// those that request the default behavior, and those that are not supported, to say why.
func (req *request) addForeign(fs *pflag.FlagSet) {
	hidden := func(name, short string, set func(string) error) {
		fs.FuncP(name, short, "", set)
		fs.Lookup(name).Hidden = true
	}
	alias := func(name, short, of string) {
		f := *fs.Lookup(of)
		f.Name, f.Shorthand, f.Hidden = name, short, true
		f.Annotations = map[string][]string{sameAs: {of}}
		fs.AddFlag(&f)
	}
	alias("c", "c", "np")
	alias("n", "", "np")
	alias("x", "", "export")
	alias("wd", "", "wdir")
	alias("prepend-rank", "", "tag-output")
	alias("display-map", "", "verbose")
	alias("report-bindings", "", "verbose")

	alias("host", "H", "hosts")
	alias("machinefile", "", "hostfile")
	alias("preload-binary", "", "preload")
	hidden("map-by", "", checkPolicy)
	hidden("rank-by", "", checkPolicy)
	hidden("stdin", "", req.setStdin)
	alias("s", "s", "stdin")
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

// refused lists flags of other launchers that are not supported. They are declared without values so that
// the reason is reported first.
var refused = []struct {
	names []string
	why   string
}{
	{[]string{"default-hostfile", "machine", "f"}, "write --hosts or --hostfile"},
	{[]string{"N", "npernode", "npersocket", "ppn", "perhost", "pernode"}, "-n says how many in all, and --hosts a:2,b:2 how many on each host"},
	{[]string{"mca", "gmca", "prtemca", "pmixmca", "tune", "am"}, "components of another launcher mean nothing here; leave the flag out"},
	{[]string{"launcher-exec", "rmk", "bootstrap"}, "write --launcher with the command that starts programs on other hosts"},
	{[]string{"prefix", "nolocal", "localhost", "ranks-per-proc", "usize"}, "there is no such thing here; leave the flag out"},
	{[]string{"configfile", "app", "rankfile", "rf"}, "there are no files of arguments or places; write the parts with a colon between them"},
	{[]string{"genvnone", "envnone"}, "ranks inherit the environment; env -i mpirun ... gives them an empty one"},
	{[]string{"genvlist", "envlist", "genvexcl"}, "ranks inherit the whole environment; -x NAME=VALUE changes a variable"},
	{[]string{"output-filename", "outfile-pattern", "errfile-pattern", "outfile"},
		`files for each rank are made by a shell: mpirun -n N sh -c 'exec ./prog > out.$RHINET_RANK'; or --tag-output puts the rank before each line of one`},
	{[]string{"iter", "msglog", "npmin", "multi"}, "is a flag of benchmarks, not of the launcher: it goes behind the program's name"},
	{[]string{"cpu-set", "cpu-list", "cpus-per-proc", "cpus-per-rank", "use-hwthread-cpus"},
		"every rank has its share of the usable cores; taskset -c 0-3 mpirun ... makes those fewer, --dry-run shows them"},
	{[]string{"bind-to-core", "bind-to-socket", "bind-to-none", "bycore", "byslot", "bynode", "bysocket"}, "write --bind-to core or --bind-to none"},
	{[]string{"disable-auto-cleanup", "enable-recovery", "continuous", "max-restarts"}, "a job ends as a whole when one of its ranks fails; leave the flag out"},
	{[]string{"print-all-exitcodes", "report-child-jobs-separately", "show-progress", "display-allocation", "display-devel-map", "xml", "debug-daemons", "d"},
		"mpirun says itself which rank failed and how; -v shows where ranks run"},
	{[]string{"gdb", "tv", "ddt", "debugger"}, "write --debug RANK, or start a debugger for each rank, as in mpirun -n 2 xterm -e gdb ./prog"},
	{[]string{"report-uri", "report-pid", "ompi-server", "personality", "ckpoint-interval", "ckpoint-prefix", "ckpointlib"}, "there is no such thing here; leave the flag out"},
}

// checkPolicy accepts the placement policies of other launchers, which are all equivalent on one machine:
// ranks take the cores in turn.
func checkPolicy(v string) error {
	policy, modifiers, _ := strings.Cut(strings.ToLower(v), ":")
	known := []string{"core", "hwthread", "slot", "node", "socket", "package", "numa", "l1cache", "l2cache", "l3cache", "board"}
	if !slices.Contains(known, policy) {
		return fmt.Errorf("known are %s", strings.Join(known, ", "))
	}
	for modifier := range strings.FieldsFuncSeq(modifiers, func(r rune) bool { return r == ',' || r == ':' }) {
		switch {
		case slices.Contains([]string{"oversubscribe", "span", "inherit", "noinherit"}, modifier):
		case strings.HasPrefix(modifier, "pe"):
			return fmt.Errorf("%s cannot be had: every rank has its share of the usable cores; fewer ranks have more each, and --dry-run shows how many", modifier)
		default:
			return fmt.Errorf("%s cannot be had; leave it out", modifier)
		}
	}
	return nil
}

// setStdin is --stdin: either rank 0 gets the launcher's standard input, or no rank does.
func (req *request) setStdin(v string) error {
	switch v {
	case "0":
		req.noInput = false
	case "none":
		req.noInput = true
	default:
		return errors.New("only rank 0 can read standard input; give 0 or none")
	}
	return nil
}
