//go:build !linux

package observe

import (
	"errors"
	"os"
	"time"
)

// errNoProcesses reports a system on which ranks cannot be processes.
var errNoProcesses = errors.New("observe: ranks as processes need Linux")

// Create fails: ranks as processes need Linux.
func Create(int, bool) (*os.File, error) { return nil, errNoProcesses }

func claim(int, int, int) (plan, []byte, error) { return plan{}, nil, errNoProcesses }

func duplicate(*os.File) (int, error) { return -1, errNoProcesses }

func unclaim([]byte) error { return nil }

func monotonic() (int64, time.Time) { return 0, time.Now() }
