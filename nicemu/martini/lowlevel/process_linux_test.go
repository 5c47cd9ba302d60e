package lowlevel

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"testing"

	"rhinet/internal/wait"
	"rhinet/nicemu/fabric"
	"rhinet/nicemu/martini"
)

// child holds the rank that a copy of the test program is.
const child = "RHINET_LOWLEVEL_TEST_CHILD"

func TestMain(m *testing.M) {
	if rank := os.Getenv(child); rank != "" {
		if err := play(rank); err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func play(text string) error {
	rank, err := strconv.Atoi(text)
	if err != nil {
		return err
	}
	f, err := fabric.Open(3)
	if err != nil {
		return err
	}
	return member(f, rank)
}

func member(f *fabric.Fabric, rank int) error {
	nic, err := martini.Open(f, rank, martini.Options{})
	if err != nil {
		return err
	}
	l, err := Open(nic, Options{Policy: wait.For(3, 2, false), Alive: patience()})
	if err != nil {
		return err
	}
	return errors.Join(scenario(l), l.Close(), nic.Close(), f.Close())
}

func TestScenarioBetweenProcesses(t *testing.T) {
	file, err := fabric.Create(3, fabric.Default())
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	var children []*exec.Cmd
	for rank := 1; rank < 3; rank++ {
		c := exec.Command("/proc/self/exe")
		c.Env = append(os.Environ(), child+"="+strconv.Itoa(rank))
		c.ExtraFiles = []*os.File{file}
		c.Stdout = os.Stdout
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		children = append(children, c)
	}
	f, err := fabric.Map(file)
	if err == nil {
		err = member(f, 0)
	}
	if err != nil {
		t.Error(err)
	}
	for _, c := range children {
		if err := c.Wait(); err != nil {
			t.Error(err)
		}
	}
}
