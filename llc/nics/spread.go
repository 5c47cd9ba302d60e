package nics

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"rhinet/llc/entry"
	"rhinet/llc/ir"
	"rhinet/llc/route"
	"rhinet/llc/tcp"
	"rhinet/nicemu/fabric"
)

// between separates the two NICs in the name for a job on several hosts: the one within hosts, and the one
// between them.
const between = "+"

// cut returns the parts of such a name. For any other name two is false, and near is name.
func cut(name string) (near, far string, two bool) { return strings.Cut(name, between) }

// Spread returns the name of the NICs of a job on several hosts for which a user has chosen a name, "" for
// none: one NIC that reaches ranks on other hosts, or NEAR+FAR. A NIC that only reaches ranks on its own host
// has tcp beside it.
func Spread(name string) (string, error) {
	near, far, two := cut(usual(name))
	n, _, err := parse(near)
	if err == nil && n.Hidden {
		err = unknown()
	}
	if err != nil || n.Spreads && !two {
		return near, err
	}
	if !two {
		far = tcp.Name
	}
	f, _, err := parse(far)
	switch {
	case err != nil:
		return "", err
	case !f.Spreads:
		return "", fmt.Errorf("%s %w", far, errOneHost)
	case n.Spreads:
		return "", fmt.Errorf("%s reaches ranks on its own host as well; name it alone, or another one before it", near)
	}
	return near + between + far, nil
}

var errOneHost = errors.New("reaches ranks on one host only; tcp and ofi reach others")

// both opens the two NICs of a rank of a job on several hosts, and makes one translator of them.
func (d Debug) both(near, far string, f *fabric.Fabric, rank int, net *entry.Network) (ir.Translator, error) {
	if net == nil {
		return nil, fmt.Errorf("nics: NIC %q: for jobs on several hosts only; name one network interface", near+between+far)
	}
	inside, err := d.open(near, f, rank, entry.Options{})
	if err != nil {
		return nil, err
	}
	var hosts []int
	told := *net
	told.Meet = func(name []byte) ([]entry.Place, uint32, error) {
		all, secret, err := net.Meet(name)
		for _, p := range all {
			hosts = append(hosts, p.Host)
		}
		return all, secret, err
	}
	outside, err := d.open(far, f, rank, entry.Options{Network: &told, Beside: true})
	if err != nil {
		return nil, errors.Join(err, inside.Close())
	}
	t, err := route.New(inside, outside, hosts)
	if err != nil {
		return nil, errors.Join(err, outside.Close(), inside.Close())
	}
	return t, nil
}

// ofEach calls do for each NIC in a name, as long as there is no error.
func ofEach(name string, do func(n entry.NIC) error) error {
	near, far, two := cut(name)
	n, _, err := parse(near)
	if err == nil {
		err = do(n)
	}
	if err == nil && two {
		if n, _, err = parse(far); err == nil {
			err = do(n)
		}
	}
	return err
}

// tags returns the build tags of programs that use the NICs in a name.
func tags(name string) (all []string) {
	_ = ofEach(name, func(n entry.NIC) error {
		if n.Tag != "" && !slices.Contains(all, n.Tag) {
			all = append(all, n.Tag)
		}
		return nil
	})
	return all
}
