package nics

import (
	"fmt"
	"strings"

	"rhinet/llc/entry"
)

// Settings describes all settings, for lists of NICs.
func Settings() string {
	var all []string
	for _, n := range table() {
		if n.Setting.Key != "" {
			all = append(all, n.Name+":"+n.Setting.String())
		}
	}
	return strings.Join(all, ", ")
}

// unknown returns the error for an unknown name.
func unknown() error {
	return fmt.Errorf("no such network interface; there is %s", strings.Join(Selectable(), ", "))
}

// parse splits a name such as martini:pm:throttle=global into its NIC and the value of its setting, empty if
// it has none.
func parse(name string) (n entry.NIC, value string, err error) {
	base, rest := name, ""
	if i := strings.IndexByte(name, '='); i >= 0 {
		i = strings.LastIndexByte(name[:i], ':')
		base, rest = name[:max(i, 0)], name[i+1:]
	}
	n, ok := find(base)
	switch {
	case !ok:
		return n, "", unknown()
	case rest == "":
		return n, "", nil
	case n.Setting.Key == "":
		return n, "", fmt.Errorf("%s has no settings; there is %s", base, Settings())
	}
	key, value, _ := strings.Cut(rest, "=")
	if key != n.Setting.Key {
		return n, "", fmt.Errorf("no setting %q; there is %s", key, Settings())
	}
	return n, value, n.Setting.Check(value)
}
