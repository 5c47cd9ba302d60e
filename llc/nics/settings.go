package nics

import (
	"fmt"
	"strings"

	"rhinet/nicemu/martini/pm"
)

// settings are what a name may say beside the NIC, each behind a colon:
//
//	martini:pm:throttle=global
type settings struct {
	throttle pm.Throttle
}

// throttling is the one NIC that has settings.
const throttling = "martini:pm"

// Settings describes the settings there are, for lists of NICs.
func Settings() string {
	return throttling + ":throttle=" + strings.Join(pm.Throttles(), "|")
}

// parse splits a name into that of the NIC and its settings.
func parse(name string) (base string, s settings, err error) {
	base, rest := name, ""
	if i := strings.IndexByte(name, '='); i >= 0 {
		i = strings.LastIndexByte(name[:i], ':')
		base, rest = name[:max(i, 0)], name[i+1:]
	}
	switch {
	case table[base] == nil:
		return "", s, fmt.Errorf("no such network interface; there is %s", strings.Join(Names(), ", "))
	case rest == "":
		return base, s, nil
	case base != throttling:
		return "", s, fmt.Errorf("%s has no settings; there is %s", base, Settings())
	}
	key, value, _ := strings.Cut(rest, "=")
	if key != "throttle" {
		return "", s, fmt.Errorf("no setting %q; there is %s", key, Settings())
	}
	s.throttle, err = pm.ParseThrottle(value)
	return base, s, err
}
