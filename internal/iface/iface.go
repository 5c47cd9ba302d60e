// Package iface finds the addresses by which other hosts reach this one.
package iface

import (
	"cmp"
	"fmt"
	"net"
	"slices"
)

// Addresses returns the addresses of the network interface of the given name or address, or else of all
// interfaces that are up. Addresses of a network come before loopback, and version 4 before version 6, so
// that all hosts prefer the same.
func Addresses(wanted string) ([]net.IP, error) {
	interfaces, err := net.Interfaces()
	if err != nil {
		return nil, err
	}
	var all []net.IP
	for _, i := range interfaces {
		of, err := i.Addrs()
		if err != nil || i.Flags&net.FlagUp == 0 {
			continue
		}
		for _, a := range of {
			n, ok := a.(*net.IPNet)
			if ok && !n.IP.IsLinkLocalUnicast() && (wanted == "" || wanted == i.Name || wanted == n.IP.String()) {
				all = append(all, n.IP)
			}
		}
	}
	if len(all) == 0 && wanted != "" {
		return nil, fmt.Errorf("there is no network interface %s with an address here", wanted)
	}
	slices.SortStableFunc(all, func(a, b net.IP) int { return cmp.Compare(distance(a), distance(b)) })
	return all, nil
}

// distance orders addresses.
func distance(ip net.IP) int {
	d := 0
	if ip.IsLoopback() {
		d = 2
	}
	if ip.To4() == nil {
		d++
	}
	return d
}

// Towards returns the local address that this host uses to reach another one, nil if it cannot reach it or
// reaches only itself.
func Towards(host string) net.IP {
	c, err := net.Dial("udp", net.JoinHostPort(host, "9")) // sends nothing
	if err != nil {
		return nil
	}
	defer c.Close()
	a, ok := c.LocalAddr().(*net.UDPAddr)
	if !ok || a.IP.IsLoopback() {
		return nil
	}
	return a.IP
}
