package compare

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// spending writes a stand-in for mpirun, under which a kernel takes longer with each flag; it records its
// command lines in a file.
func spending(t *testing.T) (mpirun, log string) {
	t.Helper()
	mpirun, log = filepath.Join(t.TempDir(), "mpirun"), filepath.Join(t.TempDir(), "log")
	script := `#!/bin/sh
printf '%s\n' "$*" >>` + log + `
took=2
case "$1" in
--stats=*) took=2.2 ;;
--trace) took=3 ;;
--check) took=1.5 ;;
esac
echo '{"kernel":"CG","class":"S","seconds":'$took',"processes":2,"mops":7,"verification":"SUCCESSFUL"}'
`
	if err := os.WriteFile(mpirun, []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	return mpirun, log
}

// The ratios of a cost are those of jobs with a flag to jobs without, by the seconds of the timed section.
func TestCostOfFlags(t *testing.T) {
	mpirun, log := spending(t)
	var all []Runtime
	for _, s := range Watched("dir") {
		all = append(all, TimedNPB(mpirun, "npb", s))
	}
	opts := options(enough)
	opts.Cells, opts.Cost, opts.Ours = []Cell{{"CG.S", 2, []int{0}}}, true, len(all)
	res, err := Run(t.Context(), all, opts)
	if err != nil {
		t.Fatal(err)
	}
	lines := res.Lines()
	if len(lines) != 1 || lines[0].Unit != seconds || !slices.Equal(lines[0].Medians, []float64{2, 2.2, 3, 1.5}) {
		t.Fatalf("%+v", lines)
	}
	for i, want := range []string{"1.10 [1.10 1.10] slower", "1.50 [1.50 1.50] slower", "0.75 [0.75 0.75] faster"} {
		if r := lines[0].Ratios[i]; r.String()+" "+r.Verdict(lines[0].Rate()) != want {
			t.Errorf("%s %s, want %s", r, r.Verdict(false), want)
		}
	}
	for format, want := range map[string]string{
		"table":    "| CG.S |     2 |     0 | 2.00000 | 2.20000 | 3.00000 | 1.50000 | 1.10 [1.10 1.10] slower |",
		"markdown": "ratio = with the flag / plain, median",
		"csv":      "test,ranks,bytes,plain,--stats,--trace,--check,--stats / plain,--trace / plain,--check / plain,",
		"json":     `"cost": true`,
		"go":       "CG.S/ranks=2/bytes=0/runtime=--stats 1 2.2 s\n",
	} {
		var b bytes.Buffer
		if err := res.Write(&b, format); err != nil || !strings.Contains(b.String(), want) {
			t.Errorf("%s: %v, %q is missing in\n%s", format, err, want, b.String())
		}
	}
	text, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	asked := strings.Split(string(text), "\n")
	want := []string{"-n 2 npb -class S -format json cg", "--stats=dir/stats.json -n 2 npb -class S -format json cg",
		"--trace dir/trace.json -n 2 npb -class S -format json cg", "--check -n 2 npb -class S -format json cg"}
	if !slices.Equal(asked[:4], want) || asked[4] != want[1] { // the next round begins with the next mode
		t.Errorf("%q", asked[:8])
	}
}

func TestSecondsOfKernels(t *testing.T) {
	c := []Cell{{"CG.S", 2, []int{0}}}
	untimed := strings.Replace(timed, "communication wait", "other", 1)
	for _, text := range []string{timed, untimed} {
		if s, err := readSeconds(c, text, 0); err != nil || len(s) != 1 || s[0] != (Sample{Test: "CG.S", Ranks: 2, Value: 2.5, Unit: "s"}) {
			t.Errorf("%+v, %v", s, err)
		}
	}
	for text, want := range map[string]string{
		"": "no report",
		strings.Replace(timed, "SUCCESSFUL", "UNSUCCESSFUL", 1): "not verified: UNSUCCESSFUL",
	} {
		if _, err := readSeconds(c, text, 0); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}
