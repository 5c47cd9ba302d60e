package compare

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
)

// A Setting is one way to run this runtime: a NIC, environment variables, and flags of mpirun.
type Setting struct {
	Name  string   // as the user wrote it, or "rhinet"
	NIC   string   // as mpirun's -nic takes it; empty: the default
	Env   []string // NAME=VALUE
	Flags []string // further flags of mpirun

	Hosts *Hosts // on which jobs run; nil: this host
}

// ParseSettings reads a list of NIC[+NAME=VALUE...]. An empty list is the
// default NIC, called rhinet.
func ParseSettings(list []string) ([]Setting, error) {
	if len(list) == 0 {
		return []Setting{{Name: "rhinet"}}, nil
	}
	var settings []Setting
	seen := map[string]bool{}
	for _, text := range list {
		f := strings.Split(text, "+")
		s := Setting{Name: text, NIC: f[0], Env: f[1:]}
		if text == "rhinet" {
			s.NIC = ""
		}
		for _, v := range s.Env {
			if name, _, ok := strings.Cut(v, "="); !ok || name == "" {
				return nil, fmt.Errorf("setting %q has %q where NAME=VALUE belongs; write NIC+NAME=VALUE", text, v)
			}
		}
		switch {
		case text == "" || s.NIC == "" && text != "rhinet":
			return nil, fmt.Errorf("setting %q names no NIC; write NIC or NIC+NAME=VALUE", text)
		case seen[text]:
			return nil, fmt.Errorf("setting %q is named twice", text)
		}
		seen[text] = true
		settings = append(settings, s)
	}
	return settings, nil
}

// Try asks mpirun to plan a job with the setting, without starting it. If mpirun refuses, for example
// because of an unknown NIC, a wrong variable or too many ranks, its message is the error.
func (s Setting) Try(ctx context.Context, mpirun string, ranks int, program string) error {
	args := append(s.flags(ranks), "--dry-run", "-n", strconv.Itoa(ranks), program)
	cmd := exec.CommandContext(ctx, mpirun, args...)
	cmd.Env = append(os.Environ(), s.Env...)
	text, err := cmd.CombinedOutput()
	if err == nil {
		return nil
	}
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	if last := lines[len(lines)-1]; last != "" {
		return fmt.Errorf("%s: %s", s.Name, last)
	}
	return fmt.Errorf("%s: %s: %w", s.Name, mpirun, err)
}

// launch returns the command that runs a program on the given number of ranks with the setting.
func (s Setting) launch(mpirun string, ranks int, program ...string) []string {
	args := append([]string{mpirun}, s.flags(ranks)...)
	return s.Hosts.start(append(append(args, "-n", strconv.Itoa(ranks)), program...)...)
}

// flags returns mpirun's flags for this setting and number of ranks.
func (s Setting) flags(ranks int) []string {
	flags := append(slices.Clone(s.Flags), s.Hosts.flags(ranks)...)
	if s.NIC == "" {
		return flags
	}
	return append([]string{"--nic", s.NIC}, flags...)
}
