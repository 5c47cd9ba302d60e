package launch

import (
	"errors"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// A HostList is the hosts that a user names for a job, without duplicates.
type HostList []Host

// Add adds the hosts of a list HOST[:RANKS],... .
func (h *HostList) Add(list string) error {
	for word := range strings.SplitSeq(list, ",") {
		name, slots := word, 0
		if i := strings.LastIndexByte(word, ':'); i >= 0 && strings.Count(word, ":") == 1 {
			var err error
			if slots, err = strconv.Atoi(word[i+1:]); err != nil || slots < 1 {
				return fmt.Errorf("%q: the number of ranks is at least 1", word)
			}
			name = word[:i]
		}
		if err := h.add(name, slots); err != nil {
			return err
		}
	}
	return nil
}

// hostName matches names of hosts: host names, addresses, and user@name for ssh.
var hostName = regexp.MustCompile(`^(::|[A-Za-z0-9_\[])[A-Za-z0-9_.:@%\]-]{0,99}$`)

// add adds a host. If the host is there already, the slots are added to its own.
func (h *HostList) add(name string, slots int) error {
	if !hostName.MatchString(name) {
		return fmt.Errorf("%q is no host; it has a name or an address", name)
	}
	i := slices.IndexFunc(*h, func(k Host) bool { return k.Name == name })
	if i < 0 {
		*h = append(*h, Host{Name: name, Slots: slots})
		return nil
	}
	(*h)[i].Slots = max(1, (*h)[i].Slots) + max(1, slots)
	return nil
}

// Read adds the hosts listed in a file, one per line, optionally with slots=RANKS.
func (h *HostList) Read(file string) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	before := len(*h)
	n := 0
	for line := range strings.Lines(string(text)) {
		n++
		line, _, _ = strings.Cut(line, "#")
		words := strings.Fields(line)
		if len(words) == 0 {
			continue
		}
		name := words[0]
		for _, w := range words[1:] {
			count, ok := strings.CutPrefix(w, "slots=")
			if !ok {
				return fmt.Errorf("line %d says %q; a line is HOST, HOST:RANKS or HOST slots=RANKS", n, w)
			}
			name += ":" + count
		}
		if err := h.Add(name); err != nil {
			return fmt.Errorf("line %d: %w", n, err)
		}
	}
	if len(*h) == before {
		return errors.New("the file names no host")
	}
	return nil
}
