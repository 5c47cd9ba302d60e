package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// mostMemory limits the memory of all processes of a test together, in bytes: a fault may make a loop that
// allocates for ever.
const mostMemory = 4 << 30

// runGroup runs cmd in a process group of its own, which ends with it, and reports whether the group
// exceeded most bytes of memory.
func runGroup(cmd *exec.Cmd, most int) (greedy bool, err error) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	cmd.Cancel = func() error { return kill(cmd) }
	cmd.WaitDelay = 5 * time.Second
	if err := cmd.Start(); err != nil {
		return false, err
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	for {
		select {
		case err := <-ended:
			_ = kill(cmd)
			return greedy, err
		case <-time.After(time.Second):
			if !greedy && memoryOf(cmd.Process.Pid) > most {
				greedy = true
				_ = kill(cmd)
			}
		}
	}
}

func kill(cmd *exec.Cmd) error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }

// memoryOf returns the resident bytes of all processes of a group.
func memoryOf(group int) (bytesUsed int) {
	all, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, name := range all {
		text, err := os.ReadFile(name)
		if err != nil {
			continue // it has ended
		}
		// The name of the program, in parentheses, may contain anything.
		field := strings.Fields(string(text[bytes.LastIndexByte(text, ')')+1:]))
		if len(field) < 22 || field[2] != strconv.Itoa(group) {
			continue
		}
		pages, _ := strconv.Atoi(field[21])
		bytesUsed += pages * os.Getpagesize()
	}
	return bytesUsed
}
