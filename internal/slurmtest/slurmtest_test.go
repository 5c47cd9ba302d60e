package slurmtest

import (
	"os"
	"testing"
)

// Everything that a cluster has started ends with its test, also a job that was not ended.
func TestNothingIsLeft(t *testing.T) {
	var dir string
	t.Run("cluster", func(t *testing.T) {
		c := Start(t, Here(2))
		dir = c.dir
		cmd := c.Srun("-N2", "-n2", "sh", "-c", "touch "+c.path("begun")+"; sleep 600")
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		c.await("srun", func() bool { _, err := os.Stat(c.path("begun")); return err == nil })
		cmd.Process.Kill()
		cmd.Wait()
	})
	if _, err := os.Stat(dir); !t.Skipped() && !os.IsNotExist(err) {
		t.Errorf("%s: %v", dir, err)
	}
	if left := (&Cluster{dir: dir}).processes(); dir != "" && len(left) > 0 {
		t.Errorf("left: %v", left)
	}
}
