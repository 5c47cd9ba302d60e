package launch

import (
	"fmt"
	"os/exec"
	"slices"
)

// debuggerName is the debugger of Go programs.
const debuggerName = "dlv"

// findDebugger finds the debugger, if ranks are to run under it.
func (p *Plan) findDebugger() error {
	if len(p.job.Debug) == 0 {
		return nil
	}
	for _, r := range p.job.Debug {
		if n := p.job.Size(); r < 0 || r >= n {
			return fmt.Errorf("rank %d cannot be debugged: the job has ranks 0 to %d", r, n-1)
		}
	}
	path, err := exec.LookPath(debuggerName)
	if err != nil {
		return fmt.Errorf("there is no %s in PATH to debug with; go install github.com/go-delve/delve/cmd/dlv@latest installs it", debuggerName)
	}
	p.debugger = path
	return nil
}

// buildFlags returns the flags of the go command for the programs of the job. Code that a debugger shows
// must not be optimized; this applies to the named package only, because otherwise all packages would be
// rebuilt.
func (p *Plan) buildFlags() (flags []string) {
	if tag := p.job.BuildTag; tag != "" {
		flags = append(flags, "-tags", tag)
	}
	if p.debugger != "" {
		flags = append(flags, "-gcflags=-N -l")
	}
	return flags
}

// command returns the command that is executed as rank r.
func (p *Plan) command(r int) (path string, args []string) {
	slot := p.slots[r]
	part, prog := &p.job.Parts[slot.Part], &p.programs[slot.Part]
	if !slices.Contains(p.job.Debug, r) {
		return prog.Path, append([]string{prog.Argv0()}, part.Args...)
	}
	// The program does not run until a client connects and continues it.
	args = []string{debuggerName, "exec", "--headless", "--listen=127.0.0.1:0", "--accept-multiclient", prog.Path, "--"}
	return p.debugger, append(args, part.Args...)
}
