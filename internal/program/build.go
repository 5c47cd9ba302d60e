package program

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"rhinet/internal/scratch"
)

// Build turns the packages among the programs into executables. The caller's goroutine is locked to the
// thread to which the death signal of the go command is tied. remove must be called once the ranks run, or
// at once after an error.
func Build(ctx context.Context, programs []Program, flags []string) (remove func(), err error) {
	nothing := func() {}
	if !needsBuild(programs) {
		return nothing, nil
	}
	tool, err := exec.LookPath("go")
	if err != nil {
		return nothing, &Refusal{firstPackage(programs) + " is a Go package, but there is no go command in PATH to build it"}
	}
	parent, err := filepath.Abs(os.TempDir()) // programs are started in other directories
	if err != nil {
		return nothing, fmt.Errorf("TMPDIR is %s, but the current directory is gone: name another place", os.TempDir())
	}
	dir, err := scratch.Make(parent, "rhinet-build-")
	if err != nil {
		return nothing, fmt.Errorf("cannot make a directory to build in: %w (TMPDIR names another place)", err)
	}
	built := map[string]string{}
	for i := range programs {
		prog := &programs[i]
		if prog.Package == "" {
			continue
		}
		if built[prog.Package] == "" {
			target := filepath.Join(dir.Path, fmt.Sprintf("%d", i), commandName(prog.Package))
			if err := goBuild(ctx, tool, dir.Path, target, prog, flags); err != nil {
				dir.Remove()
				return nothing, err
			}
			built[prog.Package] = target
		}
		prog.Path = built[prog.Package]
	}
	return func() { dir.Remove() }, nil
}

// goBuild builds one package. The go command keeps its own scratch files in our directory too, so one
// removal deletes everything.
func goBuild(ctx context.Context, tool, temporary, target string, prog *Program, flags []string) error {
	if err := os.Mkdir(filepath.Dir(target), 0o700); err != nil {
		return err
	}
	var output bytes.Buffer
	at := siteOf(prog.Package)
	// Stamping asks the version control system, which is slow and fails in directories of other users, and
	// this executable is temporary.
	args := append([]string{"build", "-buildvcs=false", "-o", target}, flags...)
	cmd := exec.CommandContext(ctx, tool, append(args, at.arg)...)
	cmd.Dir = at.dir
	cmd.Env = append(os.Environ(), "GOTMPDIR="+temporary)
	if at.dir != "" {
		cmd.Env = append(cmd.Env, "PWD="+at.dir)
	}
	cmd.Stdout, cmd.Stderr = &output, &output
	cmd.SysProcAttr = attributes()
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = time.Second
	err := cmd.Run()
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case errors.As(err, &exit):
		return noBuild(prog, at, output.String())
	case err != nil:
		return fmt.Errorf("cannot run %s: %w", tool, err)
	}
	return checkBuilt(target, prog)
}

// checkBuilt checks that the go command has produced a program: for a package other than main it makes an
// archive, for one that only has tests nothing.
func checkBuilt(target string, prog *Program) error {
	info, err := os.Stat(target)
	if err != nil {
		return &Refusal{prog.Name + " has nothing to build"}
	}
	if info.Mode().Perm()&0o111 == 0 || isArchive(target) {
		return &Refusal{prog.Name + " is a package to import, not a main package; name an executable, or a directory with package main"}
	}
	return nil
}

// isArchive reports whether a file is a package archive.
func isArchive(path string) bool {
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	head := make([]byte, 8)
	f.Read(head)
	return bytes.HasPrefix(head, []byte("!<arch>"))
}

func needsBuild(programs []Program) bool { return firstPackage(programs) != "" }

// firstPackage returns the first package among the programs, or "".
func firstPackage(programs []Program) string {
	for _, p := range programs {
		if p.Package != "" {
			return p.Name
		}
	}
	return ""
}

// commandName returns the name under which a package's program runs, as shown by ps and in a core dump.
func commandName(pkg string) string {
	if abs, err := filepath.Abs(pkg); err == nil {
		pkg = abs
	}
	return strings.TrimSuffix(filepath.Base(pkg), ".go")
}
