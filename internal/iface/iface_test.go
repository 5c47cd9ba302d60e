package iface

import (
	"net"
	"slices"
	"strings"
	"testing"
)

func TestAddressesOfThisHost(t *testing.T) {
	all, err := Addresses("")
	if err != nil || len(all) == 0 {
		t.Fatal(all, err)
	}
	if slices.ContainsFunc(all, net.IP.IsLoopback) && !all[len(all)-1].IsLoopback() {
		t.Errorf("that of this host alone is not the last: %v", all)
	}
	for _, a := range all {
		if one, err := Addresses(a.String()); err != nil || len(one) != 1 || !one[0].Equal(a) {
			t.Errorf("%s: %v, %v", a, one, err)
		}
		if to := Towards(a.String()); a.IsLoopback() && to != nil || !a.IsLoopback() && !to.Equal(a) {
			t.Errorf("towards %v: %v", a, to)
		}
	}
	if _, err := Addresses("no-such-interface"); err == nil || !strings.Contains(err.Error(), "no network interface no-such-interface") {
		t.Error(err)
	}
	if to := Towards("not a host"); to != nil {
		t.Error(to)
	}
}
