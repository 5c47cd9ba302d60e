package main

import (
	"os"
	"testing"

	"rhinet/internal/launch"
)

// A request for a completion script must not be answered with a help text that looks like success.
func TestCompletionForUnknownShells(t *testing.T) {
	const known = "; there is bash, zsh, fish, powershell"
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"completion"}, "completion for which shell? There is bash, zsh, fish, powershell"},
		{[]string{"completion", "tcsh"}, "completion tcsh: no script for this shell" + known},
		{[]string{"completion", "nonsense", "x"}, "completion nonsense: no script for this shell" + known},
		{[]string{"completion", ""}, "completion : no script for this shell" + known},
		{[]string{"completion", "bash", "x"}, `unknown command "x" for "mpirun completion bash"`},
		{[]string{"completion", "--nonsense"}, "unknown flag: --nonsense"},
	} {
		status, out, err := mpirun(t, c.args...)
		if status != launch.StatusUsage || out != "" || err != "mpirun: "+c.want+"\n" {
			t.Errorf("%q: status %d, %q, %q", c.args, status, out, err)
		}
	}
}

func TestAnswersThatCannotBeWritten(t *testing.T) {
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip(err)
	}
	defer full.Close()
	for what, args := range map[string][]string{
		"what was asked for": {"--help"},
		"the version":        {"--version"},
		"the placement":      {"--dry-run", "sh"},
	} {
		errs, read := capture(t)
		status := run(args, streams{nil, full, errs})
		if got, want := read(), "mpirun: cannot write "+what+": write /dev/full: no space left on device\n"; status != launch.StatusFailed || got != want {
			t.Errorf("%q: status %d, %q, want %q", args, status, got, want)
		}
	}
}

// A message is a single line, even about a name that contains control characters.
func TestMistakesWithControlCharacters(t *testing.T) {
	status, _, err := mpirun(t, "./a\nb\x1b[31m'")
	if want := "mpirun: ./a\\nb\\x1b[31m': no such program; name an executable or a Go main package\n"; status != launch.StatusUsage || err != want {
		t.Errorf("status %d, %q, want %q", status, err, want)
	}
}
