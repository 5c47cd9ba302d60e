package share

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"rhinet/bench"
)

// The table has each translator of this repository, and the figures of the specification.
func TestTable(t *testing.T) {
	rows, err := Count("../..")
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]Row{}
	for _, r := range rows {
		seen[r.Library+" "+r.NIC] = r
	}
	for _, nic := range []string{"rhinet martini", "rhinet ib", "rhinet tofu", "rhinet ofi"} {
		if r, ok := seen[nic]; !ok || r.Own < 50 || r.All < 2000 || r.Percent > 10 || r.Stated != 0 {
			t.Errorf("%s: %+v", nic, r)
		}
	}
	for nic, want := range map[string]float64{"LLC, original Tofu": 58.6, "MPICH netmod InfiniBand": 100} {
		if r := seen[nic]; r.Stated != want || r.Percent < want-0.1 || r.Percent > want+0.1 {
			t.Errorf("%s: %+v", nic, r)
		}
	}
	for format, want := range map[string]string{
		"csv": "LLC, original\",Tofu,4156,7096,58.6,58.6\n", "table": "58.6", "json": `"lines_for_the_nic": 4156`,
		"markdown": "| LLC, original | Tofu | 4156 | 7096 | 58.6 | 58.6 |\n",
	} {
		var b bytes.Buffer
		if err := Write(&b, format, rows); err != nil || !strings.Contains(b.String(), want) {
			t.Errorf("%s: %v, %s", format, err, &b)
		}
	}
}

func TestNoTree(t *testing.T) {
	if _, err := Count(t.TempDir()); !errors.Is(err, bench.ErrInput) || !strings.Contains(err.Error(), "--tree") {
		t.Error(err)
	}
}
