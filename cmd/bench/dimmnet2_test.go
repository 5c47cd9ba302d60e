package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestDIMMnet2(t *testing.T) {
	plot := filepath.Join(t.TempDir(), "send.svg")
	status, out, errs := process(t, "model", "dimmnet2", "send", "--format", "csv", "--plot", plot)
	if text, err := os.ReadFile(plot); status != 0 || errs != "" || err != nil || !strings.Contains(string(text), "theoretical") || !strings.Contains(out, "send,theoretical,8,0.5700\n") {
		t.Errorf("status %d, %q, %q, %v", status, out, errs, err)
	}
	status, out, errs = process(t, "model", "dimmnet2", "vectors", "--format", "csv")
	if status != 0 || errs != "" || !strings.HasPrefix(out, "test,curve,bytes,usec,commands,packets,link_bytes\n") || !strings.Contains(out, "\nvectors,put by a stride,480,") {
		t.Errorf("status %d, %q, %q", status, out, errs)
	}
	status, out, errs = process(t, "model", "dimmnet2", "--parameters", "--set", "host.poll=100", "--format", "csv")
	if status != 0 || !strings.Contains(out, "host.poll,100,ns") {
		t.Errorf("status %d, %q, %q", status, out, errs)
	}
	for args, want := range map[string]string{
		"":                           "model dimmnet2 takes one experiment: send, stream, receive, vectors",
		"send receive":               "model dimmnet2 takes one experiment",
		"both":                       `no experiment "both"; there is send, stream, receive, vectors`,
		"send --format xml":          `unknown format "xml"`,
		"send --set host.poll=-1":    "host.poll is 0 to 1e+06 ns, not -1",
		"send --plot x.txt":          "--plot x.txt",
		"send --plot /nowhere/x.svg": "/nowhere",
	} {
		status, out, errs := process(t, append([]string{"model", "dimmnet2"}, strings.Fields(args)...)...)
		if status != statusUsage || out != "" || !strings.Contains(errs, want) {
			t.Errorf("%q: status %d, %q, %q; want %q", args, status, out, errs, want)
		}
	}
}
