package nics

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"rhinet/llc/ir"
	"rhinet/nicemu/fabric"
)

func TestParseDebug(t *testing.T) {
	everything := Debug{Requests: true, Contract: true, Buffers: true, Checksum: true}
	for value, want := range map[string]Debug{
		"": {}, ",": {}, "1": {Requests: true}, "requests": {Requests: true}, "contract": {Contract: true}, "buffers": {Buffers: true}, "checksum": {Checksum: true},
		"contract, requests,checksum,buffers": everything, "all": everything, "all,contract": everything,
	} {
		if got, err := ParseDebug(value); err != nil || got != want {
			t.Errorf("%q: %+v, %v", value, got, err)
		}
	}
	for _, value := range []string{"contracts", "yes", "contract,2", "contract;requests"} {
		d, err := ParseDebug(value)
		if err == nil || d != (Debug{}) || !strings.Contains(err.Error(), "there are requests, contract, buffers, checksum") {
			t.Errorf("%q: %+v, %v", value, d, err)
		}
	}
}

// breachVariable tells a child process to break the contract.
const breachVariable = "RHINET_TEST_BREACH"

// breach posts on a watched NIC what no caller may post; it does not return.
func breach() {
	ts, _, err := Local(Default, 1, Debug{})
	if err != nil {
		panic(err)
	}
	if os.Getenv(breachVariable) == "local" {
		ts = Debug{Contract: true}.watchAll(ts)
	} else {
		ts[0] = Debug{Contract: true}.watch(ts[0])
	}
	ts[0].Post(&ir.Command{Op: ir.Expose})
	time.Sleep(time.Minute) // the watcher ends it
	os.Exit(0)
}

// TestABrokenContractEndsTheProcess: with one line that says so, or for a job within one process with a
// panic.
func TestABrokenContractEndsTheProcess(t *testing.T) {
	const line = "rank 0: the caller of martini breaks the contract of ir.Translator (answers): token 0x0 of Op 6 is 0 or has an answer due\n"
	for mode, c := range map[string]struct {
		status int
		text   string
	}{"process": {1, line}, "local": {2, "panic: " + strings.TrimSpace(line)}} {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), breachVariable+"="+mode)
		out, err := cmd.CombinedOutput()
		var exit *exec.ExitError
		if !errors.As(err, &exit) || exit.ExitCode() != c.status || !strings.HasPrefix(string(out), c.text) || mode == "process" && string(out) != line {
			t.Errorf("%s: %v: %s", mode, err, out)
		}
	}
}

// TestWatchedByVariable: Open checks what the environment says, and refuses a value that it cannot parse. A
// watched translator keeps its abilities.
func TestWatchedByVariable(t *testing.T) {
	for _, name := range Names() {
		var want ir.Abilities
		for _, value := range []string{"", "requests", "contract", "all", "nonsense"} {
			t.Setenv(DebugVariable, value)
			f, err := fabric.Heap(1, Geometry(name, fabric.Small(), 1))
			if err != nil {
				t.Fatal(err)
			}
			tr, err := Open(name, f, 0)
			if value == "nonsense" {
				if err == nil || !strings.Contains(err.Error(), `RHINET_DEBUG: nothing to watch is called "nonsense"`) {
					t.Error(err)
				}
				continue
			}
			if err != nil {
				t.Fatal(err)
			}
			if value == "" {
				want = ir.AbilitiesOf(tr)
			}
			got := ir.AbilitiesOf(tr)
			if (got.FlagArray == nil) != (want.FlagArray == nil) || (got.Aimer == nil) != (want.Aimer == nil) || got.Reporter == nil || got.Announcer == nil {
				t.Errorf("%s, %q: %+v, want %+v", name, value, got, want)
			}
			if watched := fmt.Sprintf("%T", tr) != fmt.Sprintf("%T", unwatched(t, name)); watched != (value == "contract" || value == "all") {
				t.Errorf("%s, %q: watched: %v", name, value, watched)
			}
			if err := tr.Close(); err != nil {
				t.Error(err)
			}
		}
	}
}

// unwatched returns a translator whose contract is not checked.
func unwatched(t *testing.T, name string) ir.Translator {
	f, err := fabric.Heap(1, Geometry(name, fabric.Small(), 1))
	if err != nil {
		t.Fatal(err)
	}
	tr, err := Debug{}.openNIC(name, f, 0, nil)
	if err != nil {
		t.Fatal(err)
	}
	return tr
}
