package bench

import (
	"bytes"
	"strings"
	"sync"
	"testing"
	"time"

	"rhinet/mpi"
	"rhinet/mpi/mpitest"
)

// Every workload measures its sizes on every rank count it allows, and only
// rank 0 reports.
func TestWorkloadsRun(t *testing.T) {
	for _, w := range Workloads() {
		for _, ranks := range []int{w.Min, 3} {
			var mu sync.Mutex
			var rows []Row
			opts := Options{Sizes: []int{0, 8, 4096}, Budget: time.Millisecond}
			mpitest.Run(t, ranks, func(world *mpi.Comm) error {
				return w.Run(world, opts, func(r Row) {
					mu.Lock()
					rows = append(rows, r)
					mu.Unlock()
				})
			})
			if len(rows) != 3 {
				t.Fatalf("%s on %d ranks: %d rows, want 3", w.Name, ranks, len(rows))
			}
			for i, r := range rows {
				if r.Bytes != opts.Sizes[i] || r.Ranks != ranks || r.Microsecs <= 0 || r.Repetitions < 1 {
					t.Errorf("%s: row %+v", w.Name, r)
				}
			}
		}
	}
}

func TestCheckNamesTheWayOut(t *testing.T) {
	w, err := Find("pingpong")
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Check(1, Options{}); err == nil || !strings.Contains(err.Error(), "mpirun -n 2") {
		t.Errorf("one rank: %v", err)
	}
	if err := w.Check(2, Options{Sizes: []int{-1}}); err == nil || !strings.Contains(err.Error(), "size -1") {
		t.Errorf("negative size: %v", err)
	}
	w, _ = Find("allreduce")
	if err := w.Check(2, Options{Sizes: []int{12}}); err == nil || !strings.Contains(err.Error(), "multiple of the 8 bytes") {
		t.Errorf("odd size: %v", err)
	}
	if _, err := Find("pong"); err == nil || !strings.Contains(err.Error(), "allreduce, barrier, exchange, pingpong") {
		t.Errorf("unknown name: %v", err)
	}
}

func TestFormats(t *testing.T) {
	row := Row{Test: "pingpong", Ranks: 2, Bytes: 1024, Repetitions: 7, Microsecs: 1.25, MBPerSec: 819.2, Spread: 0.125}
	for format, want := range map[string]string{
		"table": "819.2",
		"csv":   "pingpong,2,1024,7,1.2500,819.20,0.125",
		"json":  `"usec": 1.25`,
	} {
		var out bytes.Buffer
		p, err := NewPrinter(format, &out)
		if err != nil {
			t.Fatal(err)
		}
		p.Row(row)
		if err := p.Close(); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(out.String(), want) {
			t.Errorf("%s lacks %q:\n%s", format, want, out.String())
		}
		if format == "csv" {
			back, err := ParseCSV(out.String())
			if err != nil || len(back) != 1 || back[0] != row {
				t.Errorf("read back %+v, %v", back, err)
			}
		}
	}
	if _, err := NewPrinter("xml", nil); err == nil || !strings.Contains(err.Error(), Formats) {
		t.Errorf("unknown format: %v", err)
	}
}

func TestParseCSVRefusesForeignText(t *testing.T) {
	for _, text := range []string{"", "hello\n", "a,b\n\"", strings.Join(csvHeader, ",") + "\np,2,x,1,1,1,1\n"} {
		if rows, err := ParseCSV(text); err == nil {
			t.Errorf("%q gives %v", text, rows)
		}
	}
}

func TestPick(t *testing.T) {
	all, self := []string{"b", "a"}, func(s string) string { return s }
	if got, known, ok := Pick(all, self, "a"); got != "a" || known != "" || !ok {
		t.Errorf("%q, %q, %v", got, known, ok)
	}
	if got, known, ok := Pick(all, self, "c"); got != "" || known != "b, a" || ok {
		t.Errorf("%q, %q, %v", got, known, ok)
	}
}
