package main

import (
	"strings"
	"testing"

	"rhinet/internal/launch"
)

// A setting that every rank would refuse is refused once, before the start, wherever it comes from. The
// setting nearest to the program has priority.
func TestWrongSettingsAreRefusedOnce(t *testing.T) {
	attach := `RHINET_CMA: cross-memory attach "maybe"; it is auto, on or off`
	for _, c := range []struct {
		env  string
		args []string
		want string
	}{
		{"RHINET_CMA=maybe", []string{"-n", "3", "echo"}, attach},
		{"RHINET_CMA=maybe", []string{"--dry-run", "echo"}, attach},
		{"RHINET_CMA=off", []string{"-n", "2", "echo", ":", "-x", "RHINET_CMA=maybe", "echo"}, attach},
		{"RHINET_CMA=off", []string{"-genv", "RHINET_CMA", "maybe", "echo"}, attach},
		{"RHINET_CMA=maybe", []string{"-x", "RHINET_CMA=on", "-x", "RHINET_CMA=off", "true"}, ""},
		{"RHINET_CMA=", []string{"true"}, ""},
		{"RHINET_HUGEPAGES=on", []string{"-n", "2", "echo"}, `RHINET_HUGEPAGES: huge pages "on"; it is auto or off`},
		{"RHINET_HUGEPAGES=off", []string{"true"}, ""},
		{"RHINET_DEBUG=contracts", []string{"-n", "3", "echo"}, `RHINET_DEBUG: nothing to watch is called "contracts"; there are requests, contract, buffers, checksum`},
		{"RHINET_DEBUG=", []string{"-x", "RHINET_DEBUG=2", "echo"}, `RHINET_DEBUG: nothing to watch is called "2"`},
		{"RHINET_DEBUG=all", []string{"true"}, ""},
		{"RHINET_COLL=bcast=pigeon", []string{"-n", "3", "echo"}, `RHINET_COLL: no algorithm "pigeon" for bcast; there are `},
		{"RHINET_COLL=sing=chain", []string{"echo"}, `RHINET_COLL: no operation "sing"; there are barrier, `},
		{"RHINET_COLL=bcast", []string{"echo"}, `RHINET_COLL: "bcast" is not operation=algorithm, such as bcast=chain`},
		{"RHINET_WIN=lock=mcs", []string{"echo"}, `RHINET_WIN: no way "mcs" for lock; there are library, ncl`},
		{"RHINET_COLL=bcast=chain", []string{"true"}, ""},
		{"RHINET_COLL=bcast=chain", []string{"-n", "1", "echo", ":", "-x", "RHINET_COLL=bcast=linear", "echo"},
			`RHINET_COLL: "bcast=chain" in part 1 of the job and "bcast=linear" in part 2; ranks with other algorithms would wait for each other, so give all parts one value`},
	} {
		t.Run(c.env+" "+strings.Join(c.args, " "), func(t *testing.T) {
			name, value, _ := strings.Cut(c.env, "=")
			t.Setenv(name, value)
			status, out, err := mpirun(t, c.args...)
			if c.want == "" {
				if status != 0 || err != "" {
					t.Errorf("status %d, %q", status, err)
				}
				return
			}
			if status != launch.StatusUsage || out != "" || !strings.HasPrefix(err, "mpirun: "+c.want) || strings.Count(err, "\n") != 1 {
				t.Errorf("status %d, %q, %q", status, out, err)
			}
		})
	}
}
