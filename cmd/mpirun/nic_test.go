package main

import (
	"strings"
	"testing"

	"rhinet/internal/launch"
	"rhinet/llc/nics"
)

// The variable is the default of --nic. Virtual time, in which the model is the network, does not look at it.
func TestNICOfTheEnvironment(t *testing.T) {
	for _, c := range []struct{ variable, line, nic string }{
		{"", "-n 2 prog", nics.Default},
		{"tofu", "-n 2 prog", "tofu"},
		{"martini:pm:throttle=global", "-n 2 prog", "martini:pm:throttle=global"},
		{"tofu", "-n 2 --nic ib prog", "ib"},
		{"pigeon", "-n 2 --nic ib prog", "ib"},
		{"tofu", "-n 2 --time loggp prog", nics.Timed},
		{"pigeon", "-n 2 --time loggp prog", nics.Timed},
		{"", "--hosts a,b -n 2 prog", "martini+tcp"},
		{"tofu", "--hosts a,b -n 2 prog", "tofu+tcp"},
		{"martini+ofi", "--hosts a,b -n 2 prog", "martini+ofi"},
	} {
		t.Setenv(nics.Variable, c.variable)
		if req := mustParse(t, c.line); req.job.NIC != c.nic || req.job.BuildTag != nics.Tag(c.nic) || req.notes != nil {
			t.Errorf("%s=%s mpirun %s: %q, tag %q, notes %q", nics.Variable, c.variable, c.line, req.job.NIC, req.job.BuildTag, req.notes)
		}
	}
}

// A value that --nic would refuse is refused, too, under the name that the user has given it.
func TestWrongNICOfTheEnvironment(t *testing.T) {
	for value, want := range map[string]string{
		"pigeon":          "RHINET_NIC=pigeon: no such network interface; there is cenju4, ",
		"martini+tcp":     "RHINET_NIC=martini+tcp: for jobs on several hosts only; name one network interface",
		"martini+pigeon":  "RHINET_NIC=martini+pigeon: ",
		"martini:pm:x=no": "RHINET_NIC=martini:pm:x=no: ",
	} {
		t.Setenv(nics.Variable, value)
		status, out, err := mpirun(t, "-n", "2", "true")
		if status != launch.StatusUsage || out != "" || !strings.HasPrefix(err, "mpirun: "+want) || strings.Count(err, "\n") != 1 {
			t.Errorf("%s: status %d, %q, %q", value, status, out, err)
		}
	}
	t.Setenv(nics.Variable, "martini+ib")
	if _, err := parse(strings.Fields("--hosts a,b -n 2 prog")); err == nil || !strings.HasPrefix(err.Error(), "RHINET_NIC=martini+ib: ") {
		t.Errorf("on two hosts: %v", err)
	}
}

// A variable that only the ranks get chooses nothing, which a note says.
func TestNICOfTheRanksAlone(t *testing.T) {
	t.Setenv(nics.Variable, "")
	const note = "RHINET_NIC=ib: mpirun chooses the network interface of all ranks, and uses martini; give --nic, or set the variable for mpirun"
	for line, notes := range map[string]int{
		"-n 2 -x RHINET_NIC=ib prog":                    1,
		"-genv RHINET_NIC ib -n 2 prog":                 1,
		"-n 1 prog : -n 2 -x RHINET_NIC=ib prog":        1,
		"-q -n 2 -x RHINET_NIC=ib prog":                 0,
		"-n 2 -x RHINET_NIC=martini prog":               0,
		"-n 2 --nic ib -x RHINET_NIC=ib prog":           0,
		"-n 2 --time loggp -x RHINET_NIC=ib prog":       0,
		"-n 2 -x RHINET_NIC=ib prog : -n 2 prog : prog": 1,
	} {
		if req := mustParse(t, line); len(req.notes) != notes || notes == 1 && req.notes[0] != note {
			t.Errorf("%s: %q", line, req.notes)
		}
	}
}
