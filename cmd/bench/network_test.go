package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"rhinet/nicemu/models"
)

// A network under load gives the same bytes on every run, on any number of processors; the topology that is
// printed gives the same figures when it is read again.
func TestNetworkIsDeterministic(t *testing.T) {
	args := []string{"network", "--switch", "rhinet3", "--set", "link.bit-errors=1e-4", "--topology", "random:6x2", "--seed", "5", "--loads", "0.2,0.7", "--time", "100us", "--format", "csv"}
	status, first, errs := process(t, args...)
	if status != 0 || errs != "" || strings.Count(first, "\n") != 7 {
		t.Fatalf("status %d, %q, %q", status, errs, first)
	}
	for _, n := range []string{"1", "2"} {
		t.Setenv("GOMAXPROCS", n)
		if _, again, _ := process(t, args...); again != first {
			t.Errorf("with GOMAXPROCS=%s %q, then %q", n, first, again)
		}
	}
	status, topology, _ := process(t, "network", "--topology", "random:6x2", "--seed", "5", "--print-topology")
	if status != 0 || !strings.HasPrefix(topology, "switch s0 s1") {
		t.Fatalf("status %d, topology %s", status, topology)
	}
	file := filepath.Join(t.TempDir(), "net.txt")
	if err := os.WriteFile(file, []byte(topology), 0o600); err != nil {
		t.Fatal(err)
	}
	args[6] = file
	if _, again, errs := process(t, args...); again != first {
		t.Errorf("the printed topology gives %q, %q", again, errs)
	}
}

// The plot is written, and replaces no other file.
func TestNetworkPlot(t *testing.T) {
	dir := t.TempDir()
	plot, other := filepath.Join(dir, "load.svg"), filepath.Join(dir, "mine.svg")
	if err := os.WriteFile(other, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		status, _, errs := process(t, "network", "--topology", "one:4", "--time", "50us", "--loads", "0.1,0.2", "--plot", plot)
		text, err := os.ReadFile(plot)
		if status != 0 || err != nil || !strings.Contains(string(text), "hot-spot") {
			t.Fatalf("status %d, %q, %v", status, errs, err)
		}
	}
	status, _, errs := process(t, "network", "--topology", "one:4", "--time", "50us", "--plot", other)
	if status != statusUsage || !strings.Contains(errs, "is there, and is no plot") {
		t.Errorf("status %d, %q", status, errs)
	}
}

// The table of parameters shows what was set.
func TestModelParameters(t *testing.T) {
	status, out, errs := process(t, "model", "parameters", "--switch", "rhinet3", "--set", "link.length=50", "--format", "csv")
	if status != 0 || !strings.HasPrefix(out, "name,value,unit,about,source\ncore.clock,66,MHz,") || !strings.Contains(out, "\nlink.rate,10,Gbit/s,") || !strings.Contains(out, "\nlink.length,50,m,") ||
		!strings.Contains(out, "\nswitch.flow-control,credit,stop-go or credit,") {
		t.Errorf("status %d, %s, %s", status, out, errs)
	}
}

// Every model of virtual time has a table, with what was set and all that its setting in mpirun --time may name.
func TestParametersOfModels(t *testing.T) {
	for model, want := range map[string]string{
		"loggp --set L=1.5us":               "\nL,1500,ns,",
		"loggp:o=30":                        "\no,30,ns,",
		"martini:pm --set pm.throttle=off":  "\npm.throttle,off,off or destination or global,",
		"martini":                           "\ncore.clock,66,MHz,",
		"sync":                              "\nnetwork.one-switch,0,,",
		"cenju4 --set mpi.eager=2048":       "\nmpi.eager,2048,bytes,",
		"dimmnet2 --set network.switch=1us": "\nnetwork.switch,1000,ns,",
	} {
		status, out, errs := process(t, append([]string{"model", "parameters", "--format", "csv"}, strings.Fields(model)...)...)
		if status != 0 || errs != "" || !strings.Contains("\n"+out, want) {
			t.Errorf("%s: status %d, %q, %s", model, status, errs, out)
		}
	}
	for _, name := range models.Names() {
		c, err := models.Parse(name)
		if err != nil {
			t.Fatal(err)
		}
		status, out, errs := process(t, "model", "parameters", name, "--format", "csv")
		for _, p := range c.Params.All() {
			if !strings.Contains(out, "\n"+p.Name+",") {
				t.Errorf("%s: no row of %s: status %d, %q", name, p.Name, status, errs)
			}
		}
	}
}
