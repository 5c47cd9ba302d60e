package tuning

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"unicode"
)

// A Machine describes what the times in a table depend on.
type Machine struct {
	CPU        string `json:"cpu"`
	Processors int    `json:"processors"` // that a job may keep busy
	Arch       string `json:"arch"`
}

// This describes this machine, for jobs on the given number of processors.
func This(processors int) Machine {
	text, _ := os.ReadFile("/proc/cpuinfo")
	return Machine{CPU: cpu(text), Processors: processors, Arch: runtime.GOARCH}
}

// cpu returns the processor's name, or its numbers, from a text like that of /proc/cpuinfo.
func cpu(info []byte) string {
	var numbers []string
	for s := bufio.NewScanner(bytes.NewReader(info)); s.Scan(); {
		key, value, _ := strings.Cut(s.Text(), ":")
		value = strings.TrimSpace(value)
		switch strings.TrimSpace(key) {
		case "model name":
			return value
		case "CPU implementer", "CPU part":
			if numbers = append(numbers, value); len(numbers) == 2 {
				return "CPU " + strings.Join(numbers, " ")
			}
		}
	}
	return "unknown CPU"
}

// String returns a description of the machine.
func (m Machine) String() string {
	return fmt.Sprintf("%s, %d usable cores, %s", m.CPU, m.Processors, m.Arch)
}

// File is the default file for the table of a machine, in the configuration directory that
// [os.UserConfigDir] names.
func (m Machine) File(config string) string {
	return place(config, fmt.Sprintf("%s %d %s", m.CPU, m.Processors, m.Arch))
}

// ModelFile is the default file for the table of a modelled network.
func ModelFile(config, model string) string { return place(config, "model "+model) }

// place turns words into the name of a file.
func place(config, words string) string {
	name := strings.FieldsFunc(strings.ToLower(words), func(r rune) bool {
		return r != '.' && r != '=' && (r > unicode.MaxASCII || !unicode.IsLetter(r) && !unicode.IsDigit(r))
	})
	return filepath.Join(config, "rhinet", "tuning", strings.Join(name, "-")+".json")
}
