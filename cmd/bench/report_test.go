package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestReportWritesPageAndPlots(t *testing.T) {
	dir := t.TempDir()
	page, plots := filepath.Join(dir, "report.html"), filepath.Join(dir, "plots")
	status, out, errs := command("report", "../../bench/report/testdata", "-o", page, "--plots", plots, "--title", "Rivals")
	if status != 0 || !strings.Contains(out, "3 results, 120 plots") {
		t.Fatalf("status %d, output %q, errors %q", status, out, errs)
	}
	if text, err := os.ReadFile(page); err != nil || !strings.Contains(string(text), "<title>Rivals</title>") {
		t.Errorf("no page: %v", err)
	}
	if files, _ := filepath.Glob(filepath.Join(plots, "*.svg")); len(files) != 120 {
		t.Errorf("plots are %v", files)
	}
}

// A mistake leaves an older page unchanged.
func TestBadReportKeepsThePage(t *testing.T) {
	page := filepath.Join(t.TempDir(), "report.html")
	if err := os.WriteFile(page, []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	plots := filepath.Join(t.TempDir(), "plots")
	foreign := filepath.Join(t.TempDir(), "foreign.json")
	if err := os.WriteFile(foreign, []byte(`{"schema":"rhinet-compare-0"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	status, _, errs := command("report", foreign, "-o", page)
	if status != statusUsage || !strings.Contains(errs, "rhinet-compare-0") {
		t.Errorf("status %d, errors %q", status, errs)
	}
	if text, _ := os.ReadFile(page); string(text) != "old" {
		t.Errorf("the page is now %q", text)
	}
	if status, _, errs := command("report", "../../bench/report/testdata", "-o", "/nowhere/at/all.html", "--plots", plots); status != statusUsage || !strings.Contains(errs, "-o: cannot write to folder /nowhere/at: ") {
		t.Errorf("status %d, errors %q", status, errs)
	}
	if _, err := os.Stat(plots); err == nil {
		t.Error("there are plots without a page")
	}
	if status, _, errs := command("report", "../../bench/report/testdata", "--plots", page); status != statusUsage || !strings.Contains(errs, "--plots: ") {
		t.Errorf("status %d, errors %q", status, errs)
	}
}

// A page replaces an older page, and nothing else.
func TestReportReplacesReportsOnly(t *testing.T) {
	dir := t.TempDir()
	page, plots := filepath.Join(dir, "page.html"), filepath.Join(dir, "plots")
	args := []string{"report", "../../bench/report/testdata", "-o", page}
	for _, title := range []string{"First", "Second"} {
		if status, _, errs := command(append(args, "--title", title)...); status != 0 || !strings.Contains(read(t, page), "<title>"+title+"</title>") {
			t.Errorf("%s: status %d, errors %q", title, status, errs)
		}
	}
	if err := os.WriteFile(page, []byte("<!DOCTYPE html>\n<html lang=\"en\">mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	status, _, errs := command(append(args, "--plots", plots)...)
	if status != statusUsage || errs != "bench: -o: "+page+" is there, and is no report of bench report; give another name, or remove it\n" {
		t.Errorf("status %d, errors %q", status, errs)
	}
	if read(t, page) != "<!DOCTYPE html>\n<html lang=\"en\">mine" {
		t.Error("the file is overwritten")
	}
	if left, _ := os.ReadDir(dir); len(left) != 1 {
		t.Errorf("the folder holds %v", left)
	}
}

// Cells of all the comparisons given are counted by ranks and peer.
func TestCount(t *testing.T) {
	status, out, errs := command("count", "../../bench/report/testdata", "--format", "csv")
	if status != 0 || errs != "" || !strings.Contains(out, "\nsample,2,openmpi,") || !strings.Contains(out, "\nsuite,all,faster peer,") {
		t.Errorf("status %d, output %q, errors %q", status, out, errs)
	}
	alone := filepath.Join(t.TempDir(), "alone.json")
	if err := os.WriteFile(alone, []byte(`{"schema":"rhinet-compare-1","runtimes":["rhinet"],"samples":[{"runtime":"rhinet","test":"Bcast","ranks":2,"bytes":8,"value":1}]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if status, out, errs := command("count", alone); status != statusUsage || out != "" || errs != "bench: "+alone+": no comparison with a peer to count the cells of\n" {
		t.Errorf("status %d, output %q, errors %q", status, out, errs)
	}
}

func read(t *testing.T, parts ...string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(parts...))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
