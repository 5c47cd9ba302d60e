package main

import (
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"rhinet/internal/launch"
	"rhinet/llc/nics"
)

// mpirun runs a command line in this process.
func mpirun(t *testing.T, args ...string) (status int, stdout, stderr string) {
	t.Helper()
	in, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	out, readOut := capture(t)
	errs, readErr := capture(t)
	status = run(args, streams{in, out, errs})
	return status, readOut(), readErr()
}

// capture returns a file and a function that returns what was written to it.
func capture(t *testing.T) (*os.File, func() string) {
	t.Helper()
	f, err := os.Create(filepath.Join(t.TempDir(), "output"))
	if err != nil {
		t.Fatal(err)
	}
	return f, func() string {
		defer f.Close()
		f.Seek(0, io.SeekStart)
		text, err := io.ReadAll(f)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
}

func TestJob(t *testing.T) {
	status, out, err := mpirun(t, "-np", "2", "--tag-output", "-x", "WHO=me", "sh", "-c", `echo "$WHO $RHINET_RANK of $RHINET_SIZE, $RHINET_JOB"`)
	lines := sortedLines(out)
	if status != 0 || err != "" || len(lines) != 2 ||
		!strings.HasPrefix(lines[0], "[0] me 0 of 2, version=1 rank=0 size=2 app=0 fabric=3 life=4 nic=martini cpus=") ||
		!strings.HasPrefix(lines[1], "[1] me 1 of 2, ") {
		t.Errorf("status %d, %q, %q", status, out, err)
	}
}

func TestOutputFlags(t *testing.T) {
	status, out, err := mpirun(t, "-l", "--timestamp-output", "--merge-stderr-to-stdout", "sh", "-c", "echo out; echo error >&2; printf end")
	if status != 0 || err != "" {
		t.Errorf("status %d, %q", status, err)
	}
	lines := strings.Split(strings.TrimSpace(out), "\n")
	slices.SortFunc(lines, func(a, b string) int { return strings.Compare(a[15:], b[15:]) })
	for i, want := range []string{" [0] end", " [0] error", " [0] out"} {
		if _, bad := time.Parse("15:04:05.000000", lines[i][:15]); bad != nil || lines[i][15:] != want {
			t.Errorf("line %q, %v", lines[i], bad)
		}
	}
}

func TestNobodyReads(t *testing.T) {
	if status, out, err := mpirun(t, "--stdin", "none", "sh", "-c", "readlink /proc/self/fd/0 || true"); status != 0 || strings.TrimSpace(out) != os.DevNull {
		t.Errorf("status %d, %q, %q", status, out, err)
	}
}

func TestFailingJob(t *testing.T) {
	status, _, err := mpirun(t, "-n", "3", "sh", "-c", `test $RHINET_RANK != 1 && exec sleep 60; exit 7`)
	if status != 7 || !strings.Contains(err, "mpirun: rank 1 (sh, pid ") || !strings.Contains(err, "exited with status 7") {
		t.Errorf("status %d, %q", status, err)
	}
}

func TestSeveralPrograms(t *testing.T) {
	status, out, err := mpirun(t, "-n", "1", "-env", "A", "x", "sh", "-c", "echo a$A$B", ":", "-n", "2", "-genv", "B=y", "sh", "-c", "echo b$A$B")
	lines := sorted(strings.Fields(out))
	if status != 0 || err != "" || !slices.Equal(lines, []string{"axy", "by", "by"}) {
		t.Errorf("status %d, %q, %q", status, out, err)
	}
}

// Every mistake gives one line and status 2, and nothing is started.
func TestMistakes(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, c := range []struct {
		args []string
		want string
	}{
		{nil, "no program given; mpirun -n N program [args...] starts one, mpirun --help says more"},
		{[]string{"-n", "2"}, "no program given; mpirun -n N program [args...] starts one, mpirun --help says more"},
		{[]string{"-n", "0", "sh"}, "-n 0: a job has 1 to 1024 ranks"},
		{[]string{"-n", "-4", "sh"}, "-n -4: a job has 1 to 1024 ranks"},
		{[]string{"-np", "x", "sh"}, "-np x: not a number; a job has 1 to 1024 ranks"},
		{[]string{"-c", "1025", "sh"}, "-c 1025: a job has 1 to 1024 ranks"},
		{[]string{"-n", "99999999999999999999", "sh"}, "-n 99999999999999999999: a job has 1 to 1024 ranks"},
		{[]string{"-n", "1000", "sh", ":", "-n", "1000", "sh"}, "2000 ranks in all: a job has at most 1024"},
		{[]string{"-n"}, "-n needs a value"},
		{[]string{"--np"}, "--np needs a value"},
		{[]string{"--nonsense", "sh"}, "unknown flag --nonsense; mpirun --help lists the flags, and those of the program go behind its name"},
		{[]string{"-n", "2", "--nonsense=3", "sh"}, "unknown flag --nonsense=3; mpirun --help lists the flags, and those of the program go behind its name"},
		{[]string{"-nonsense", "sh"}, "unknown flag -nonsense; mpirun --help lists the flags, and those of the program go behind its name"},
		{[]string{"-n=x", "sh"}, "-n x: not a number; a job has 1 to 1024 ranks"},
		{[]string{"-z", "sh"}, "unknown flag -z; mpirun --help lists the flags, and those of the program go behind its name"},
		{[]string{"-qz", "sh"}, "unknown flag -z; mpirun --help lists the flags, and those of the program go behind its name"},
		{[]string{"./nothing"}, "./nothing: no such program; name an executable or a Go main package"},
		{[]string{"no-such-program"}, "no-such-program: no such program in PATH"},
		{[]string{"--stats", "calls.txt", "true"}, "calls.txt: no such program in PATH; a file for statistics is given as --stats=calls.txt"},
		{[]string{"calls.txt", "true"}, "calls.txt: no such program in PATH"},
		{[]string{""}, "the program's name is empty"},
		{[]string{"sh", ":"}, "part 2 of 2, between the colons, names no program"},
		{[]string{":", "sh"}, "part 1 of 2, between the colons, names no program"},
		{[]string{"sh", ":", "-n", "2", ":", "sh"}, "part 2 of 3, between the colons, names no program"},
		{[]string{"--timeout", "soon", "sh"}, "--timeout soon: give a time above zero, such as 90s or 5m"},
		{[]string{"--timeout=-1s", "sh"}, "--timeout -1s: give a time above zero, such as 90s or 5m"},
		{[]string{"-timeout", "", "sh"}, "-timeout : give a time above zero, such as 90s or 5m"},
		{[]string{"-timeout", "NaN", "sh"}, "-timeout NaN: give a time above zero, such as 90s or 5m"},
		{[]string{"-timeout", "99999999999", "sh"}, "-timeout 99999999999: no job takes so long; without the flag there is no limit"},
		{[]string{"-timeout", "99999999h", "sh"}, "-timeout 99999999h: no job takes so long; without the flag there is no limit"},
		{[]string{"-timeout", "1h99999999999m", "sh"}, "-timeout 1h99999999999m: no job takes so long; without the flag there is no limit"},
		{[]string{"-timeout", "-99999999h", "sh"}, "-timeout -99999999h: give a time above zero, such as 90s or 5m"},
		{[]string{"-timeout", "5x", "sh"}, "-timeout 5x: give a time above zero, such as 90s or 5m"},
		{[]string{"--stall", "soon", "sh"}, "--stall soon: give a time above zero, such as 90s or 5m"},
		{[]string{"--stall", "-3", "sh"}, "--stall -3: give a time above zero, such as 90s or 5m"},
		{[]string{"--stall", "3", "--time", "loggp", "sh"}, "--stall and --time: virtual time finds out by itself that no rank can go on; leave --stall out"},
		{[]string{"-timeout", "0", "sh"}, "-timeout 0: give a time above zero, such as 90s or 5m"},
		{[]string{"--wdir", "./nowhere", "sh"}, "working directory ./nowhere: no such file or directory"},
		{[]string{"--wdir", "", "sh"}, "--wdir : the directory's name is empty"},
		{[]string{"-x", "=1", "sh"}, "-x =1: give NAME or NAME=VALUE"},
		{[]string{"-x", "A B=1", "sh"}, "-x A B=1: give NAME or NAME=VALUE"},
		{[]string{"-x", "", "sh"}, "-x : give NAME or NAME=VALUE"},
		{[]string{"-env", "A"}, "-env A: needs two values, a name and what it shall be"},
		{[]string{"-genv", "", "x", "sh"}, "-genv =x: give NAME or NAME=VALUE"},
		{[]string{"--bind-to", "socket", "sh"}, "--bind-to socket: ranks are bound to core or none"},
		{[]string{"--ring-memory", "0", "sh"}, "--ring-memory 0: give bytes, 1 or more; what is less than one ring leaves all ranks with the shared ones, without the flag there is no limit"},
		{[]string{"--ring-memory", "4k", "sh"}, "--ring-memory 4k: give bytes, 1 or more; what is less than one ring leaves all ranks with the shared ones, without the flag there is no limit"},
		{[]string{"--nic", "nonesuch", "sh"}, "--nic nonesuch: no such network interface; there is " + strings.Join(nics.Selectable(), ", ")},
		{[]string{"--nic", "martini:pm:throttle=4", "sh"}, `--nic martini:pm:throttle=4: no throttle "4"; it is off, destination, global`},
		{[]string{"--nic", "martini:throttle=off", "sh"}, "--nic martini:throttle=off: martini has no settings; there is " + nics.Settings()},
		{[]string{"-host", "a,,b", "sh"}, `-host a,,b: "" is no host; it has a name or an address`},
		{[]string{"-H", "localhost,-x", "sh"}, `-H localhost,-x: "-x" is no host; it has a name or an address`},
		{[]string{"--hosts", "a:0", "sh"}, `--hosts a:0: "a:0": the number of ranks is at least 1`},
		{[]string{"--hosts", "a:x", "sh"}, `--hosts a:x: "a:x": the number of ranks is at least 1`},
		{[]string{"--hostfile", "hosts", "sh"}, "--hostfile hosts: open hosts: no such file or directory"},
		{[]string{"-machinefile", "/dev/null", "sh"}, "-machinefile /dev/null: the file names no host"},
		{[]string{"--launcher", " ", "sh"}, "--launcher  : the command is empty"},
		{[]string{"--launcher", "ssh", "sh"}, "--launcher is for jobs on several hosts; --hosts or --hostfile names them"},
		{[]string{"--iface", "eth0", "sh"}, "--iface is for jobs on several hosts; --hosts or --hostfile names them"},
		{[]string{"--preload", "sh"}, "--preload is for jobs on several hosts; --hosts or --hostfile names them"},
		{[]string{"--kvs", "memcached://a:1", "sh"}, "--kvs is for jobs on several hosts; --hosts or --hostfile names them"},
		{[]string{"--kvs", "redis://a:1", "--hosts", "a,b", "sh"}, `--kvs redis://a:1: kvs: "redis://a:1" names no store; write memcached://HOST:PORT`},
		{[]string{"--hosts", "a,b", "--metrics", ":0", "sh"}, "--metrics: for jobs on one host only; leave --hosts out"},
		{[]string{"--hosts", "a,b", "--debug", "0", "sh"}, "--debug: for jobs on one host only; leave --hosts out"},
		{[]string{"--hosts", "a,b", "--time", "loggp", "sh"}, "--time: for jobs on one host only; leave --hosts out"},
		{[]string{"--hosts", "a,b", "--nic", "tofu+ib", "sh"}, "--nic tofu+ib: ib reaches ranks on one host only; tcp and ofi reach others"},
		{[]string{"--hosts", "a,b", "--nic", "tofu+pigeon", "sh"}, "--nic tofu+pigeon: no such network interface; there is " + strings.Join(nics.Selectable(), ", ")},
		{[]string{"--nic", "tofu+ofi", "sh"}, "--nic tofu+ofi: for jobs on several hosts only; name one network interface"},
		{[]string{"--hosts", "a,b", "--wdir", "/", "-n", "2", "./nothing"}, "./nothing: no such program; name an executable or a Go main package"},
		{[]string{"--mca", "btl", "self", "sh"}, "--mca: components of another launcher mean nothing here; leave the flag out"},
		{[]string{"-ppn", "2", "sh"}, "-ppn: -n says how many in all, and --hosts a:2,b:2 how many on each host"},
		{[]string{"--map-by", "hair", "sh"}, "--map-by hair: known are core, hwthread, slot, node, socket, package, numa, l1cache, l2cache, l3cache, board"},
		{[]string{"--tag-output=perhaps", "sh"}, "--tag-output=perhaps: give true or false"},
		{[]string{"help", "x"}, "help x: there is help for mpirun as a whole only, and a program of that name is started as ./help"},
		{[]string{"--dry-run", "./nothing"}, "./nothing: no such program; name an executable or a Go main package"},
	} {
		status, out, err := mpirun(t, c.args...)
		if status != launch.StatusUsage || out != "" || err != "mpirun: "+c.want+"\n" {
			t.Errorf("%q: status %d, %q\ngot  %swant mpirun: %s", c.args, status, out, err, c.want)
		}
	}
}

func TestNotes(t *testing.T) {
	status, _, err := mpirun(t, "-x", "RHINET_TEST_NOT_SET", "true")
	if status != 0 || err != "mpirun: -x RHINET_TEST_NOT_SET: the variable is not set here, so the ranks do not get it\n" {
		t.Errorf("status %d, %q", status, err)
	}
	if _, _, err := mpirun(t, "-q", "-x", "RHINET_TEST_NOT_SET", "true"); err != "" {
		t.Errorf("-q says %q", err)
	}
}

func TestDryRun(t *testing.T) {
	status, out, err := mpirun(t, "--dry-run", "-n", "2", "--bind-to", "none", "false", "x", ":", "-n", "1", "sh")
	if status != 0 || err != "" || !strings.HasPrefix(out, "3 ranks on ") || strings.Count(out, "\n") != 5 || !strings.Contains(out, "false x\n") {
		t.Errorf("status %d, %q, %q", status, out, err)
	}
	file := filepath.Join(t.TempDir(), "hosts")
	if err := os.WriteFile(file, []byte("# two\n a slots=2\nb:1 # the other\n\nb\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	status, out, err = mpirun(t, "--dry-run", "-n", "4", "--hostfile", file, "sh", "x")
	var places []string
	for line := range strings.Lines(out) {
		places = append(places, strings.Join(strings.Fields(line)[:2], " "))
	}
	if want := []string{"4 ranks", "rank host", "0 a", "1 a", "2 b", "3 b"}; status != 0 || err != "" || !slices.Equal(places, want) {
		t.Errorf("status %d, %q, %q", status, out, err)
	}
	if status, _, err := mpirun(t, "--dry-run", "--hosts", "localhost:2,127.0.0.1", "--nic", "tofu", "sh"); status != 0 || err != "" {
		t.Errorf("hosts that are this one: status %d, %q", status, err)
	}
	full, openErr := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if openErr != nil {
		t.Skip(openErr)
	}
	defer full.Close()
	errs, read := capture(t)
	if status := run([]string{"--dry-run", "sh"}, streams{nil, full, errs}); status != launch.StatusFailed || !strings.Contains(read(), "cannot write the placement: ") {
		t.Errorf("status %d", status)
	}
}

func TestVersion(t *testing.T) {
	for _, flag := range []string{"--version", "-V", "-version"} {
		status, out, err := mpirun(t, flag)
		if status != 0 || err != "" || !strings.HasPrefix(out, "mpirun (rhinet) ") {
			t.Errorf("%s: status %d, %q, %q", flag, status, out, err)
		}
	}
}

func TestHelp(t *testing.T) {
	for _, args := range [][]string{{"--help"}, {"-h"}, {"help"}, {"-n", "2", "-help"}} {
		status, out, err := mpirun(t, args...)
		if status != 0 || err != "" || !strings.Contains(out, "-n, --np N") || !strings.Contains(out, "--tag-output") {
			t.Errorf("%q: status %d, %q, %q", args, status, out, err)
		}
		if strings.Contains(out, "machinefile") || strings.Contains(out, "oversubscribe") {
			t.Errorf("%q: the help shows foreign flags:\n%s", args, out)
		}
		// The value of --stats may be left out; the columns of the help stay.
		column := strings.Index(out[strings.Index(out, "      --trace"):], "write all calls")
		if stats, _, _ := strings.Cut(out[max(0, strings.Index(out, "      --stats[=FILE] ")):], "\n"); strings.Index(stats, "print at the end which calls") != column {
			t.Errorf("%q: the help shows %q, and other flags from column %d on", args, stats, column)
		}
	}
}

func TestCompletion(t *testing.T) {
	for _, shell := range []string{"bash", "zsh", "fish"} {
		status, out, err := mpirun(t, "completion", shell)
		if status != 0 || err != "" || !strings.Contains(out, "mpirun") {
			t.Errorf("%s: status %d, %q", shell, status, err)
		}
	}
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"--ta"}, "--tag-output\t"},
		{[]string{"-np", "2", "--bind-to", ""}, "core\nnone\n"},
		{[]string{"--nic", ""}, "martini\n"},
		{[]string{"-n", "2", ""}, ":0\n"}, // files
	} {
		status, out, _ := mpirun(t, append([]string{"__complete"}, c.args...)...)
		if status != 0 || !strings.Contains(out, c.want) {
			t.Errorf("%q: status %d, %q", c.args, status, out)
		}
	}
}
