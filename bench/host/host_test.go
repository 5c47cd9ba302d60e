package host

import (
	"strings"
	"testing"
)

func TestDescribeNamesTheMachine(t *testing.T) {
	h := Describe()
	if h.Cores < 1 || h.Go == "" || h.OS == "" || h.Commit == "" || h.Load == "" {
		t.Errorf("description is %+v", h)
	}
	if s := h.String(); !strings.Contains(s, h.Go) {
		t.Errorf("line is %q", s)
	}
}

func TestCalibrateGivesPlausibleFigures(t *testing.T) {
	c := calibrate(1<<20, 100_000)
	if c.Triad < 0.05 || c.Triad > 2000 || c.Chain < 0.1 || c.Chain > 1000 {
		t.Errorf("calibration is %+v", c)
	}
	if s := c.String(); !strings.Contains(s, "GB/s") || !strings.Contains(s, "ns") {
		t.Errorf("text is %q", s)
	}
}

func TestCommitOfTheFolder(t *testing.T) {
	h := Host{Commit: "0123"}
	if h.FindCommit(); h.Commit != "0123" {
		t.Errorf("a known commit becomes %q", h.Commit)
	}
	t.Chdir(t.TempDir())
	h = Host{Commit: "unknown"}
	if h.FindCommit(); h.Commit != "unknown" {
		t.Errorf("outside a checkout the commit is %q", h.Commit)
	}
}
