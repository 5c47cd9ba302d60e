package launch

import (
	"fmt"
	"net"
	"slices"
	"strconv"
	"strings"

	"rhinet/internal/iface"
)

// A Host is one of the hosts that a job runs on.
type Host struct {
	Name  string // as the job's Launcher knows it
	Slots int    // ranks that it takes before the next host has its turn; 0: not specified
}

// share returns the host of each of n ranks. If no host has slots specified, all take equal shares. If any
// has, hosts without slots take one rank each, and when all slots are used the hosts take turns again.
func share(hosts []Host, n int) []int {
	all := make([]int, 0, n)
	if !slices.ContainsFunc(hosts, func(h Host) bool { return h.Slots > 0 }) {
		for r := range n {
			all = append(all, r*len(hosts)/max(n, len(hosts)))
		}
		return all
	}
	for len(all) < n {
		for i, h := range hosts {
			for range min(max(1, h.Slots), n-len(all)) {
				all = append(all, i)
			}
		}
	}
	return all
}

// spread reports whether the job runs on hosts reached by a launcher rather than here.
func (j *Job) spread() bool { return len(j.Hosts) > 0 }

// checkHosts returns what is wrong with the hosts of a job.
func (j *Job) checkHosts() error {
	if !j.spread() {
		return nil
	}
	if len(j.Launcher) == 0 || len(j.Daemon) == 0 {
		return fmt.Errorf("no command that starts programs on other hosts")
	}
	seen := map[string]bool{}
	for _, h := range j.Hosts {
		if h.Name == "" || seen[h.Name] || h.Slots < 0 {
			return fmt.Errorf("host %q: name each host once", h.Name)
		}
		seen[h.Name] = true
	}
	return nil
}

// addresses returns the addresses HOST:PORT by which other hosts may reach this one: those of the wanted
// interface, or else of all interfaces.
func addresses(wanted string, port int) ([]string, error) {
	all, err := iface.Addresses(wanted)
	var text []string
	for _, ip := range all {
		text = append(text, net.JoinHostPort(ip.String(), strconv.Itoa(port)))
	}
	return text, err
}

// remoteShells join their arguments to a line that a shell on the other host parses.
var remoteShells = []string{"ssh", "rsh"}

// reach returns the command that starts a daemon on a host.
func (j *Job) reach(h Host) []string {
	words := append(slices.Clone(j.Launcher), h.Name)
	shell := slices.ContainsFunc(j.Launcher, func(w string) bool {
		return slices.Contains(remoteShells, w[strings.LastIndexByte(w, '/')+1:])
	})
	for _, w := range j.Daemon {
		if shell {
			w = quote(w)
		}
		words = append(words, w)
	}
	return words
}

// quote quotes a word for a shell.
func quote(w string) string {
	plain := func(c rune) bool {
		return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || strings.ContainsRune("/._-+,:@%", c)
	}
	if w != "" && strings.TrimLeftFunc(w, plain) == "" {
		return w
	}
	return "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
}
