package hostile

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"rhinet/internal/pmi"
	"rhinet/llc/nics"
	"rhinet/mpi"
)

var (
	jobs    = flag.Int("hostile.jobs", 0, "run `N` jobs (default a share that fits go test)")
	seed    = flag.Uint64("hostile.seed", 1, "seed of the first job")
	side    = flag.Int("hostile.parallel", 4, "jobs at a time")
	only    = flag.String("hostile.recipe", "", "run this recipe, seed:area:kind:count, instead")
	nicName = flag.String("hostile.nic", "", "the NIC; default all in turn")
	checked = flag.String("hostile.check", "both", "with checksums: `on|off|both` in turn")
	report  = flag.String("hostile.out", "", "write the figures to `FILE`")
	limit   = flag.Duration("hostile.limit", 30*time.Second, "a job that takes longer hangs")
	logs    = flag.String("hostile.logs", "", "keep the output of jobs that are not as they should be in `DIR`")
)

const (
	// workTime is how long the ranks of a job work, if nothing happens.
	workTime = 1000 * time.Millisecond

	roleVariable = "HOSTILE_ROLE"
	whatVariable = "HOSTILE_RECIPE"
	mostVariable = "HOSTILE_MOST" // bytes of the longest message
)

// TestMain is also the program of the ranks, and of the helper that writes.
func TestMain(m *testing.M) {
	switch os.Getenv(roleVariable) {
	case "rank":
		rank()
		return
	case "scribbler":
		r, err := parseRecipe(os.Getenv(whatVariable))
		if err == nil {
			err = scribble(r, 3)
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, "scribbler:", err)
			os.Exit(1)
		}
		return
	}
	flag.Parse()
	os.Exit(m.Run())
}

// rank is one rank of a job. Rank 0 starts the helper, which dies with it.
func rank() {
	if os.Getenv(whatVariable) != "" && strings.Contains(os.Getenv(pmi.Variable), " rank=0 ") {
		fd, err := fabricOf(os.Getenv(pmi.Variable))
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		file := os.NewFile(uintptr(fd), "fabric")
		cmd := exec.Command("/proc/self/exe")
		cmd.Env = append(os.Environ(), roleVariable+"=scribbler")
		cmd.ExtraFiles = []*os.File{file}
		cmd.Stderr = os.Stderr
		cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
		if err := cmd.Start(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		defer cmd.Wait()
		defer cmd.Process.Kill()
		_ = file.Close()
	}
	mpi.Main(runWork)
}

// An outcome is how a job ended.
type outcome int

const (
	unaffected outcome = iota
	clean
	wrongData
	hang
	panicked
	unclear // a failure whose message names neither peer nor memory
	numOutcomes
)

var outcomeNames = [...]string{"unaffected", "clean error", "wrong data", "hang", "panic", "unclear error"}

func (o outcome) String() string { return outcomeNames[o] }

var (
	crash = regexp.MustCompile(`(?m)panic:|^fatal error:|SIGSEGV|SIGBUS|unexpected fault|^goroutine \d+ \[|invalid memory address`)
	names = regexp.MustCompile(`(?m)^(rank \d+|mpi: Init): .*(peer|rank|node|from|to) \d+`)
)

// judge classifies a job by its status and output.
func judge(status int, out string) outcome {
	switch {
	case crash.MatchString(out):
		return panicked
	case status == 124:
		return hang
	case strings.Contains(out, "WRONG DATA"):
		return wrongData
	case status == 0:
		return unaffected
	case names.MatchString(out):
		return clean
	}
	return unclear
}

// A trial is a job to run.
type trial struct {
	recipe recipe
	ranks  int
	nic    string
	check  bool
}

func (c trial) String() string {
	return fmt.Sprintf("%v on %d ranks, %s, checksums %v", c.recipe, c.ranks, c.nic, c.check)
}

var nicNames = []string{"martini", "martini", "martini", "ib", "martini:pm", "martini:vp", "tofu", "dimmnet2", "cenju4", "sync"}

func newTrial(seed uint64) trial {
	c := trial{recipe: newRecipe(seed), ranks: 2 + int(seed%3), nic: nicNames[seed%uint64(len(nicNames))], check: *checked == "on" || *checked == "both" && seed/6%2 == 1}
	if *nicName != "" {
		c.nic = *nicName
	}
	return c
}

// run runs one job.
func (c trial) run(t *testing.T, mpirun string) (outcome, string, time.Duration) {
	ctx, cancel := context.WithTimeout(context.Background(), *limit+20*time.Second)
	defer cancel()
	args := []string{"-q", "-n", strconv.Itoa(c.ranks), "--nic", c.nic, "--timeout", limit.String()}
	if c.check {
		args = append(args, "--check")
	}
	cmd := exec.CommandContext(ctx, mpirun, append(args, os.Args[0])...)
	cmd.Env = append(os.Environ(), roleVariable+"=rank", whatVariable+"="+c.recipe.String())
	if c.nic == "martini:vp" || c.nic == "ib:ud" {
		cmd.Env = append(cmd.Env, mostVariable+"=20000") // longer ones take too long there
	}
	if c.recipe.count == 0 {
		cmd.Env = append(cmd.Env, whatVariable+"=")
	}
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	began := time.Now()
	err := cmd.Run()
	took := time.Since(began)
	status := cmd.ProcessState.ExitCode()
	if err != nil && status < 0 {
		status = 124 // mpirun has not ended, either
	}
	return judge(status, out.String()), fmt.Sprintf("%v: status %d after %v\n%s", c, status, took, out.String()), took
}

// build builds mpirun.
func build(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "mpirun")
	if out, err := exec.Command("go", "build", "-o", path, "rhinet/cmd/mpirun").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return path
}

// A tally counts outcomes, of jobs without and with checksums.
type tally struct {
	mu      sync.Mutex
	count   [2][numOutcomes]int
	longest time.Duration
}

// TestHostile runs jobs whose memory is overwritten at random: none may hang or panic,
// each error must say where the damage was found, and with checksums no data may be
// wrong.
func TestHostile(t *testing.T) {
	if testing.Short() && *jobs == 0 {
		t.Skip("processes for half a minute")
	}
	mpirun := build(t)
	var all []trial
	if *only != "" {
		r, err := parseRecipe(*only)
		if err != nil {
			t.Fatal(err)
		}
		c := newTrial(r.seed)
		c.recipe = r
		all = append(all, c)
	}
	n := *jobs
	if n == 0 && *only == "" {
		n = share
	}
	for i := range n {
		all = append(all, newTrial(*seed+uint64(i)))
	}
	var sum tally
	var wg sync.WaitGroup
	places := make(chan struct{}, *side)
	for _, c := range all {
		places <- struct{}{}
		wg.Go(func() {
			defer func() { <-places }()
			o, text, took := c.run(t, mpirun)
			sum.add(c, o, took)
			bad := o == hang || o == panicked || o == unclear || o == wrongData && c.check
			if bad {
				t.Errorf("%v: %s", o, text)
			}
			if *logs != "" && (bad || o == wrongData || o == clean) {
				name := fmt.Sprintf("%s-%d.txt", strings.ReplaceAll(o.String(), " ", "-"), c.recipe.seed)
				if err := os.WriteFile(filepath.Join(*logs, name), []byte(text), 0o644); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	t.Logf("%d jobs\n%s", len(all), sum.table())
	if *report != "" {
		text := fmt.Sprintf("# Hostile writes\n\n`go test ./mpi/hostile -run TestHostile -hostile.jobs %d -hostile.seed %d%s`\n\n%s", len(all), *seed, onNIC(), sum.table())
		if err := os.WriteFile(*report, []byte(text), 0o644); err != nil {
			t.Error(err)
		}
	}
}

// onNIC returns the flag that names the NIC, if it is set.
func onNIC() string {
	if *nicName == "" {
		return ""
	}
	return " -hostile.nic " + *nicName
}

// share is how many jobs go test runs.
const share = 36

func (s *tally) add(c trial, o outcome, took time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	i := 0
	if c.check {
		i = 1
	}
	s.count[i][o]++
	if o == clean {
		s.longest = max(s.longest, took)
	}
}

// table prints the figures.
func (s *tally) table() string {
	var b strings.Builder
	b.WriteString("| checksums | jobs |")
	for _, name := range outcomeNames {
		b.WriteString(" " + name + " |")
	}
	b.WriteString("\n|---|---:|" + strings.Repeat("---:|", len(outcomeNames)) + "\n")
	for i, with := range []string{"off", "on"} {
		total := 0
		for _, n := range s.count[i] {
			total += n
		}
		fmt.Fprintf(&b, "| %s | %d |", with, total)
		for _, n := range s.count[i] {
			fmt.Fprintf(&b, " %d |", n)
		}
		b.WriteString("\n")
	}
	fmt.Fprintf(&b, "\nThe longest job that ended in a clean error took %.1f s, the start and up to %.1f s of work included.\n", s.longest.Seconds(), workTime.Seconds())
	return b.String()
}

// TestWorkload: the program of the ranks finds no error if the memory is not
// overwritten.
func TestWorkload(t *testing.T) {
	mpirun := build(t)
	for _, nic := range nics.Names() {
		if o, text, _ := (trial{ranks: 3, nic: nic}).run(t, mpirun); o != unaffected {
			t.Errorf("%v: %s", o, text)
		}
	}
}
