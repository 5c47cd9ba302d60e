package mpi

import (
	"os"
	"runtime"
	"strings"
)

// InfoEnv describes how the process was started: "command", "argv", "host", "arch",
// "wdir", "thread_level" and "mpi_memory_alloc_kinds", as far as they are known. It may
// be called before Init and after Finalize.
//
// MPI 4.1, sections 10, 11.2.1 (MPI_Info_create_env, MPI_INFO_ENV) and 11.4.3.
func InfoEnv() Info {
	info := Info{"arch": runtime.GOARCH, "thread_level": threadLevel, memoryKinds: allMemoryKinds}
	for key, find := range map[string]func() (string, error){
		"command": os.Executable,
		"host":    os.Hostname,
		"wdir":    os.Getwd,
	} {
		if v, err := find(); err == nil {
			info[key] = v
		}
	}
	if len(os.Args) > 1 {
		info["argv"] = strings.Join(os.Args[1:], " ")
	}
	return info
}

// threadLevel is the only thread level.
const threadLevel = "MPI_THREAD_MULTIPLE"

// memoryKinds is the hint that lists the kinds of memory that buffers may have: of MPI
// ([Alloc], windows), and of the program.
//
// MPI 4.1, section 11.4.3.
const (
	memoryKinds    = "mpi_memory_alloc_kinds"
	allMemoryKinds = "mpi,system"
)
