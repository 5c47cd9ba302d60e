package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"rhinet/internal/launch"
	"rhinet/internal/tuning"
	"rhinet/llc/nics"
)

// tableFile writes a table and returns its file.
func tableFile(t *testing.T, table tuning.Table) string {
	t.Helper()
	text, err := table.Encode()
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "table.json")
	if err := os.WriteFile(file, text, 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// tableHere returns a table for this machine.
func tableHere(rules ...string) tuning.Table {
	here := tuning.This(launch.Processors())
	return tuning.Table{Machine: &here, NIC: nics.Default, Ranks: []int{2}, Rules: rules}
}

// A table that cannot be used for the job is refused in one line, before anything starts.
func TestWrongTablesAreRefused(t *testing.T) {
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	good := tableHere("bcast=chain@2..@0..")
	elsewhere, vp := good, good
	elsewhere.Machine = &tuning.Machine{CPU: "Another CPU", Processors: 3, Arch: "vax"}
	vp.NIC = "martini:vp"
	model := tuning.Table{Model: "loggp", NIC: nics.Timed}
	for _, c := range []struct {
		table tuning.Table
		args  string
		want  string
	}{
		{good, "", ""},
		{model, "--time loggp", ""},
		{elsewhere, "", "was measured on another machine (Another CPU, 3 usable cores, vax; this is "},
		{vp, "", "was measured with --nic martini:vp, and this job uses martini; write a table for it with mpirun tune --nic martini"},
		{good, "--nic martini:pm", "was measured with --nic martini, and this job uses martini:pm"},
		{model, "", "was measured on the model loggp, and this job runs on a machine; write a table for it with mpirun tune"},
		{model, "--time fattree:k=2", "was measured on the model loggp, and this job runs on fattree:k=2; write a table for it with mpirun tune --time fattree:k=2"},
		{good, "--time loggp", "was measured on a machine, and this job runs on the model loggp; write a table for it with mpirun tune --time loggp"},
		{tableHere("bcast=pigeon@2..@0.."), "", `is no table of this version: no algorithm "pigeon" for bcast; there are `},
		{tableHere("bcast"), "", `is no table of this version: "bcast" is no rule`},
	} {
		file := tableFile(t, c.table)
		args := append([]string{"--tuning", file, "-q"}, strings.Fields(c.args)...)
		status, out, errs := mpirun(t, append(args, "--dry-run", "true")...)
		if c.want == "" {
			if status != 0 || errs != "" || !strings.Contains(out, "\ntuned by "+file+"\n") {
				t.Errorf("%v %s: status %d, %q, %q", c.table.Rules, c.args, status, out, errs)
			}
			continue
		}
		if status != launch.StatusUsage || out != "" || !strings.HasPrefix(errs, "mpirun: --tuning: "+file+" "+c.want) || strings.Count(errs, "\n") != 1 {
			t.Errorf("%s: status %d, %q, %q; want %s", c.args, status, out, errs, c.want)
		}
	}
	for _, c := range [][2]string{{"/no/such/table", "cannot read the table /no/such/table: no such file"}, {"/dev/null", "/dev/null is no table of this version"}, {"", "the file's name is empty"}} {
		if status, _, errs := mpirun(t, "--tuning", c[0], "true"); status != launch.StatusUsage || !strings.Contains(errs, c[1]) {
			t.Errorf("%s: status %d, %q", c[0], status, errs)
		}
	}
}

// The table in the usual place is used if no other is given, and -v names it.
func TestUsualTable(t *testing.T) {
	config := t.TempDir()
	t.Setenv("XDG_CONFIG_HOME", config)
	said := func(args ...string) (int, string, string) {
		return mpirun(t, append(args, "-q", "--dry-run", "true")...)
	}
	none := func(when string, args ...string) {
		t.Helper()
		if status, out, errs := said(args...); status != 0 || errs != "" || strings.Contains(out, "tuned") {
			t.Errorf("%s: status %d, %q, %q", when, status, out, errs)
		}
	}
	none("without a table")
	mine, model := tuning.This(launch.Processors()).File(config), tuning.ModelFile(config, "loggp:L=2us")
	for file, table := range map[string]tuning.Table{mine: tableHere(), model: {Model: "loggp:L=2us", NIC: nics.Timed}} {
		text, err := os.ReadFile(tableFile(t, table))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct{ args, file string }{{"", mine}, {"--time loggp:L=2us", model}, {"--tuning " + mine, mine}} {
		if status, out, errs := said(strings.Fields(c.args)...); status != 0 || errs != "" || !strings.Contains(out, "\ntuned by "+c.file+"\n") {
			t.Errorf("%s: status %d, %q, %q", c.args, status, out, errs)
		}
	}
	none("told so", "--tuning", "none")
	none("another model", "--time", "loggp")
	none("another network interface", "--nic", "martini:pm")
	if err := os.WriteFile(mine, []byte("{}"), 0o600); err != nil {
		t.Fatal(err)
	}
	status, _, errs := said()
	if status != launch.StatusUsage || errs != fmt.Sprintf("mpirun: %s is no table of this version: it names no schema %s; write a new one with mpirun tune, or run without: --tuning none\n", mine, tuning.Schema) {
		t.Errorf("status %d, %q", status, errs)
	}
	t.Setenv("XDG_CONFIG_HOME", "")
	t.Setenv("HOME", "")
	none("without a place")
}

// fakeBench is a program that prints measurements in which "linear" is fastest, and messages in packets are
// slower from 16 KiB on. Its rank 0 records its arguments.
const fakeBench = `#!/bin/sh
[ "$RHINET_RANK" = 0 ] || exit 0
echo "$RHINET_SIZE $*" >> NOTES
case "$*" in
*PingPong*)
	echo test,ranks,bytes,t_avg_usec
	case "$RHINET_JOB" in *"eager=1073741824"*) short=2 long=9;; *) short=3 long=1;; esac
	for n in 4096 8192 16384 32768 65536 131072 262144 524288 1048576 2097152; do
		[ $n -lt 16384 ] && echo PingPong,2,$n,$short || echo PingPong,2,$n,$long
	done;;
*)
	echo operation,ranks,bytes,block,algorithm,t_avg_usec,chosen
	for n in 8 4096; do
		echo bcast,$RHINET_SIZE,$n,$n,binomial,4.0000,true
		echo bcast,$RHINET_SIZE,$n,$n,linear,2.0000,false
	done
	echo barrier,$RHINET_SIZE,0,0,tree,1.0000,true;;
esac
`

// fake writes a program that the tuner uses for measuring.
func fake(t *testing.T, text string) (file, notes string) {
	t.Helper()
	dir := t.TempDir()
	file, notes = filepath.Join(dir, "bench"), filepath.Join(dir, "notes")
	if err := os.WriteFile(file, []byte(strings.ReplaceAll(text, "NOTES", notes)), 0o700); err != nil {
		t.Fatal(err)
	}
	return file, notes
}

// The table contains what the measurements say, and jobs find it.
func TestTuneWritesATable(t *testing.T) {
	config := t.TempDir()
	t.Setenv("XDG_CONFIG_HOME", config)
	bench, notes := fake(t, fakeBench)
	status, out, errs := mpirun(t, "tune", "--bench", bench, "-n", "3,2", "--sizes", "8,4096", "--passes", "2", "--each", "5ms", "-q")
	file := tuning.This(launch.Processors()).File(config)
	if status != 0 || errs != "" || !strings.HasPrefix(out, file+": ") || !strings.Contains(out, "from 2,3 ranks; eager limit 8192 bytes, split as it was\njobs use it from now on") {
		t.Fatalf("status %d, %q, %q", status, out, errs)
	}
	table, err := tuning.Read(file, checkRules)
	if err != nil {
		t.Fatal(err)
	}
	for _, rule := range table.Rules {
		if !strings.HasPrefix(rule, "bcast=linear@") || !strings.Contains(rule, "@8..") {
			t.Errorf("rule %s", rule)
		}
	}
	if len(table.Rules) != 2 || table.Eager != 8192 || table.Split != 0 {
		t.Errorf("%+v", table)
	}
	text, err := os.ReadFile(notes)
	if err != nil {
		t.Fatal(err)
	}
	if contests := strings.Count(string(text), "3 pmb --algorithms --format csv --sizes 8,4096 --time 5ms\n"); contests != 2 || strings.Count(string(text), "\n") != 2*2*3+4 {
		t.Errorf("measured\n%s", text)
	}
	if status, out, errs := mpirun(t, "-v", "-n", "2", "sh", "-c", `[ $RHINET_RANK = 1 ] || echo "$RHINET_JOB"`); status != 0 ||
		!strings.HasSuffix(out, " tuning="+table.Word()+"\n") || !strings.Contains(errs, "tuned by "+file) {
		t.Errorf("status %d, %q, %q", status, out, errs)
	}
	// When tuning again, neither the present table nor the user's settings are used.
	if status, _, errs := mpirun(t, "tune", "--bench", bench, "-n", "2", "--passes", "1", "--out", filepath.Join(config, "x")); status != 0 || errs != "" {
		t.Errorf("again: status %d, %q", status, errs)
	}
	if text, _ := os.ReadFile(filepath.Join(config, "x")); !strings.Contains(string(text), "bcast=linear") {
		t.Errorf("again:\n%s", text)
	}
}

// In virtual time everything is measured once; the model is recorded in the table, and jobs find it by
// that.
func TestTuneForAModel(t *testing.T) {
	config := t.TempDir()
	t.Setenv("XDG_CONFIG_HOME", config)
	bench, notes := fake(t, fakeBench)
	for _, c := range []struct {
		args, name string
		eager      int
	}{
		{"--time loggp:L=3us", "loggp:L=3us", 0}, // unchanged
		{"--time martini --topology line:4x2 --set host.copy=900 --set host.call=100", "martini --topology line:4x2 --set host.copy=900 --set host.call=100", 8192},
	} {
		if err := os.WriteFile(notes, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		model := strings.Fields(c.args)
		status, out, errs := mpirun(t, append([]string{"tune", "--bench", bench, "-n", "2,4", "-q"}, model...)...)
		file := tuning.ModelFile(config, c.name)
		if status != 0 || errs != "" || !strings.HasPrefix(out, file+": 2 rules from 2,4 ranks; eager limit ") {
			t.Fatalf("status %d, %q, %q", status, out, errs)
		}
		table, err := tuning.Read(file, checkRules)
		if err != nil || table.Model != c.name || table.Eager != c.eager || table.Split != 0 || strings.Join(table.Rules, " ") != "bcast=linear@2..3@8.. bcast=linear@4..7@8.." {
			t.Errorf("%+v, %v", table, err)
		}
		if text, _ := os.ReadFile(notes); strings.Count(string(text), "\n") != 4 || strings.Count(string(text), "2 pmb PingPong --repetitions 10") != 2 ||
			strings.Count(string(text), "--repetitions 5") != 2 {
			t.Errorf("measured\n%s", text)
		}
		// A job on the same model uses it, and one on another does not.
		job := append([]string{"-v", "-n", "2"}, append(model, "true")...)
		if _, _, errs := mpirun(t, job...); !strings.Contains(errs, "tuned by "+file) {
			t.Errorf("%s: %q", c.name, errs)
		}
		if _, _, errs := mpirun(t, append([]string{"--set", other(c.name)}, job...)...); strings.Contains(errs, "tuned by ") {
			t.Errorf("another model than %s: %q", c.name, errs)
		}
	}
}

// other returns a setting that changes a model into another one.
func other(model string) string {
	if strings.HasPrefix(model, "loggp") {
		return "o=77"
	}
	return "host.poll=77"
}

func TestMistakesOfTune(t *testing.T) {
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	bench, _ := fake(t, fakeBench)
	for _, c := range []struct {
		args string
		want string
	}{
		{"--sizes 8,6", "--sizes 6: sizes are multiples of 4 above zero"},
		{"--each 0s", "--each 0s is not above zero"},
		{"--passes 0", "--passes 0 is not above zero"},
		{"-n 1", "-n 1: tables are of 2 to 1024 ranks"},
		{"-n 2,2000", "-n 2000: tables are of 2 to 1024 ranks"},
		{"-n two", "-n two: give whole numbers with commas between them, such as 8,4096; mpirun tune --help lists the flags"},
		{"--sizes x", "--sizes x: give whole numbers with commas between them, such as 8,4096; mpirun tune --help lists the flags"},
		{"--passes 1.5", "--passes 1.5: give a whole number; mpirun tune --help lists the flags"},
		{"--each soon", "--each soon: give a time, such as 10ms; mpirun tune --help lists the flags"},
		{"--quiet=perhaps", "--quiet=perhaps: give true or false; mpirun tune --help lists the flags"},
		{"--hurry", "unknown flag --hurry; mpirun tune --help lists the flags"},
		{"-wait", "unknown flag -wait; mpirun tune --help lists the flags"},
		{"--bench x --each", "--each needs a value; mpirun tune --help lists the flags"},
		{"--bench x me", "me: the command takes flags only, and a program of its name is started as ./tune"},
		{"--nic pigeon", "--nic pigeon: "},
		{"--time pigeon", "--time pigeon: no model of a network is called"},
		{"--nic martini --time loggp", "--nic and --time"},
		{"--topology line:4x2", "--topology: only a modelled network has one"},
		{"--set L=3us", "--set: only models have parameters"},
		{"--time loggp --topology one:8", "--topology: loggp has no topology that could be given"},
		{"--time martini --topology one:8:9", "--topology: "},
		{"--time martini --topology one:2 -n 2,4", "--time martini: bad topology: 2 hosts; the job has 4 ranks"},
		{"--time martini --set host.coyp=3", "--set: martini: "},
		{"--bench /no/such/bench", "the program that measures: /no/such/bench: "},
	} {
		args := append([]string{"tune"}, strings.Fields(c.args)...)
		if !strings.Contains(c.args, "--bench") {
			args = append(args, "--bench", bench)
		}
		status, out, errs := mpirun(t, args...)
		if status != launch.StatusUsage || out != "" || !strings.HasPrefix(errs, "mpirun: tune: ") || !strings.Contains(errs, c.want) || strings.Count(errs, "\n") != 1 {
			t.Errorf("%s: status %d, %q, %q", c.args, status, out, errs)
		}
	}
	status, out, errs := mpirun(t, "tune", "--help")
	if status != 0 || errs != "" || !strings.Contains(out, "mpirun tune [flags]") || !strings.Contains(out, "--time MODEL") || !strings.Contains(out, "--tuning none") {
		t.Errorf("status %d, %q, %q", status, out, errs)
	}
	t.Setenv("XDG_CONFIG_HOME", "")
	t.Setenv("HOME", "")
	if status, _, errs := mpirun(t, "tune", "--bench", bench); status != launch.StatusUsage || !strings.Contains(errs, "name a file with --out") {
		t.Errorf("no place: status %d, %q", status, errs)
	}
}

// A place to which the table cannot be written is found before anything is measured, and a file that is none of
// mpirun's stays as it is.
func TestPlacesOfTablesThatCannotBeWritten(t *testing.T) {
	bench, notes := fake(t, fakeBench)
	dir := t.TempDir()
	file := filepath.Join(dir, "main.go")
	if err := os.WriteFile(file, []byte("package main\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	refused := func(want string, args ...string) {
		t.Helper()
		status, out, errs := mpirun(t, append([]string{"tune", "--bench", bench, "-n", "2"}, args...)...)
		if status != launch.StatusUsage || out != "" || errs != "mpirun: tune: "+want+"\n" {
			t.Errorf("status %d, %q, %q", status, out, errs)
		}
	}
	refused("--out "+file+": it is there, and is none that mpirun replaces; name another file, or remove it", "--out", file)
	t.Setenv("XDG_CONFIG_HOME", file)
	refused("mkdir " + file + ": not a directory; name a file with --out")
	t.Setenv("XDG_CONFIG_HOME", dir)
	place := tuning.This(launch.Processors()).File(dir)
	if err := os.MkdirAll(place, 0o700); err != nil {
		t.Fatal(err)
	}
	refused(place + ": it is a directory; name a file, with --out")
	if text, err := os.ReadFile(file); string(text) != "package main\n" || err != nil {
		t.Errorf("%q, %v", text, err)
	}
	if _, err := os.Stat(notes); err == nil {
		t.Error("something was measured")
	}
}

// A table replaces an earlier one, and only that: what else the folder holds stays, and a link stays a link, as
// /dev/stdout must. In the usual place a table that jobs cannot read is replaced as well.
func TestTablesAreReplaced(t *testing.T) {
	bench, _ := fake(t, fakeBench)
	t.Chdir(t.TempDir())
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	place, err := new(request).tablePlace()
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(os.Symlink("table", "link"), os.WriteFile("link.part", []byte("mine"), 0o600), os.MkdirAll(filepath.Dir(place), 0o700), os.WriteFile(place, []byte("{}"), 0o600)); err != nil {
		t.Fatal(err)
	}
	for _, out := range []string{"link", "link", "table", ""} {
		args := []string{"tune", "--bench", bench, "-n", "2", "--passes", "1", "-q"}
		if out != "" {
			args = append(args, "--out", out)
		}
		if status, _, errs := mpirun(t, args...); status != 0 || errs != "" {
			t.Fatalf("%s: status %d, %q", out, status, errs)
		}
	}
	for _, file := range []string{"table", place} {
		if _, err := tuning.Read(file, checkRules); err != nil {
			t.Error(err)
		}
	}
	if to, err := os.Readlink("link"); to != "table" || err != nil {
		t.Errorf("the link is %q, %v", to, err)
	}
	if text, err := os.ReadFile("link.part"); string(text) != "mine" || err != nil {
		t.Errorf("%q, %v", text, err)
	}
	if names := filesIn(t, "."); len(names) != 3 {
		t.Errorf("there is %q", names)
	}
}

// A flag of tune that is given twice with different values is a mistake, as it is for a job; parameters of a model
// add up.
func TestFlagsOfTuneGivenTwice(t *testing.T) {
	bench, _ := fake(t, fakeBench)
	out := filepath.Join(t.TempDir(), "table")
	for line, spelled := range map[string]string{
		"-n 2 -n 4": "-n 4", "-n 2 --np=4": "--np 4", "--sizes 8 --sizes 16": "--sizes 16", "--passes 1 -passes 2": "-passes 2",
		"--each 1ms --each 2ms": "--each 2ms", "--nic martini --nic ib": "--nic ib", "--time loggp --time loggp:L=1us": "--time loggp:L=1us",
		"--out " + out + " --out x": "--out x", "-q --quiet=false": "--quiet false", "--bench x --bench y": "--bench y",
		"--topology one:2 --topology one:4": "--topology one:4",
	} {
		status, said, errs := mpirun(t, append([]string{"tune"}, strings.Fields(line)...)...)
		want := "mpirun: tune: " + spelled + ": the flag is given twice, with different values; give it once; mpirun tune --help lists the flags\n"
		if status != launch.StatusUsage || said != "" || errs != want {
			t.Errorf("%s: status %d, %q, %q; want %q", line, status, said, errs, want)
		}
	}
	line := "-q -q -np 2 --np 2 -passes 1 --passes 1 --time loggp --set o=77 --set L=3us --out " + out
	if status, said, errs := mpirun(t, append([]string{"tune", "--bench", bench}, strings.Fields(line)...)...); status != 0 || errs != "" || !strings.HasPrefix(said, out+": ") {
		t.Errorf("status %d, %q, %q", status, said, errs)
	}
}

// The word of tune is the first one: behind a flag it is the name of a program, and a job that finds none says so.
func TestTuneBehindAFlag(t *testing.T) {
	t.Chdir(t.TempDir())
	status, _, errs := mpirun(t, "-q", "tune", "-n", "2")
	if want := "mpirun: tune: no such program in PATH; to write a table, begin with tune: mpirun tune [flags]\n"; status != launch.StatusUsage || errs != want {
		t.Errorf("status %d, %q", status, errs)
	}
}

// A measurement that fails, or prints something else, leaves no table.
func TestTuneThatFails(t *testing.T) {
	out := filepath.Join(t.TempDir(), "table")
	for text, want := range map[string]string{
		"exit 7":                           "exited with status 7",
		"true":                             "tune: the program that measures printed no table: EOF",
		"[ $RHINET_RANK = 1 ] || echo a,b": "printed no column bytes; it must be bench of the same rhinet",
		"[ $RHINET_RANK = 1 ] || echo 'bytes,t_avg_usec\nx,1'": `printed "x,1": `,
		"[ $RHINET_RANK = 1 ] || echo 'bytes,t_avg_usec\n1'":   "printed no table: record on line 2",
		strings.ReplaceAll(fakeBench, "4.0000", "four"):        `tune: the program that measures printed "bcast,binomial,2,8,8,four,true": `,
		strings.ReplaceAll(fakeBench, "algorithm,", "way,"):    "printed no column algorithm",
	} {
		bench, _ := fake(t, "#!/bin/sh\n"+text)
		status, said, errs := mpirun(t, "tune", "--bench", bench, "-n", "2", "--out", out)
		if status != 1 && status != 7 || said != "" || !strings.Contains(errs, want) {
			t.Errorf("%s: status %d, %q, %q", text, status, said, errs)
		}
		if _, err := os.Stat(out); err == nil {
			t.Fatalf("%s: there is a table", text)
		}
	}
	bench, _ := fake(t, fakeBench)
	if status, _, errs := mpirun(t, "tune", "--bench", bench, "-n", "2", "--out", "/proc/no/table"); status != launch.StatusUsage || errs != "mpirun: tune: --out /proc/no/table: there is no directory /proc/no to write to\n" {
		t.Errorf("status %d, %q", status, errs)
	}
}

// A table that is found and cannot be read is named, with two ways out.
func TestATableThatMayNotBeRead(t *testing.T) {
	err := newRequest().withoutTable(fmt.Errorf("cannot read the table t.json: %w", fs.ErrPermission))
	if want := "cannot read the table t.json: permission denied; make it readable, or run without: --tuning none"; err.Error() != want {
		t.Errorf("%q, want %q", err, want)
	}
}
