package pmb

import (
	"strings"
	"testing"
)

// Flags as users of IMB write them are those of this program.
func TestFlagsOfIMB(t *testing.T) {
	for _, c := range []struct{ args, want string }{
		{"-iter 50 PingPong", "--repetitions=50 PingPong"},
		{"PingPong -iter 50,80", "PingPong --repetitions=50 --volume=83886080"},
		{"-iter=7", "--repetitions=7"},
		{"-msglog 3", "--sizes=0,1,2,4,8"},
		{"-msglog 4:6 Bcast", "--sizes=0,16,32,64 Bcast"},
		{"-time 2.5 Bcast", "--time=2.5s Bcast"},
		{"-time 200ms", "--time=200ms"},
		{"-multi 0 Bcast", "--multi Bcast"},
		{"-multi Bcast", "--multi Bcast"},
		{"-multi=false Bcast", "--multi=false Bcast"},
		{"-root_shift on Bcast", "--root-shift Bcast"},
		{"-imb_barrier on Bcast", "--own-barrier Bcast"},
		{"-imb_barrier off Bcast", "Bcast"},
		{"-imb_barrier Bcast", "--own-barrier Bcast"},
		{"-root_shift off Bcast", "Bcast"},
		{"-root_shift Bcast", "--root-shift Bcast"},
		{"-sync off Bcast", "--no-sync Bcast"},
		{"-sync 1 Bcast", "Bcast"},
		{"-npmin 4 -off_cache=100 --check", "--npmin 4 --off-cache=100 --check"},
		{"-- -iter 5", "-- -iter 5"},
	} {
		got, err := Flags(strings.Fields(c.args))
		if err != nil || strings.Join(got, " ") != c.want {
			t.Errorf("bench pmb %s is bench pmb %s, %v; want bench pmb %s", c.args, strings.Join(got, " "), err, c.want)
		}
	}
}
