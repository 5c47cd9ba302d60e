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

// A Machine is what a table was measured on, as far as times depend on it.
type Machine struct {
	CPU        string `json:"cpu"`
	Processors int    `json:"processors"` // that a job may keep busy
	Arch       string `json:"arch"`
}

// This describes this machine, for jobs on so many processors.
func This(processors int) Machine {
	text, _ := os.ReadFile("/proc/cpuinfo")
	return Machine{CPU: cpu(text), Processors: processors, Arch: runtime.GOARCH}
}

// cpu names the processor that the kernel describes: by its name, or by its numbers.
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

// String says it in words.
func (m Machine) String() string {
	return fmt.Sprintf("%s, %d usable cores, %s", m.CPU, m.Processors, m.Arch)
}

// File is where the table of a machine is by default, in the folder for
// configuration that [os.UserConfigDir] names.
func (m Machine) File(config string) string {
	return place(config, fmt.Sprintf("%s %d %s", m.CPU, m.Processors, m.Arch))
}

// ModelFile is where the table of a modelled network is by default.
func ModelFile(config, model string) string { return place(config, "model "+model) }

// place makes a name of a file of words.
func place(config, words string) string {
	name := strings.FieldsFunc(strings.ToLower(words), func(r rune) bool {
		return r != '.' && r != '=' && (r > unicode.MaxASCII || !unicode.IsLetter(r) && !unicode.IsDigit(r))
	})
	return filepath.Join(config, "rhinet", "tuning", strings.Join(name, "-")+".json")
}
