package tofu

import "testing"

// TestRoutes: a packet reaches its node in as many hops as the distance of the places, and all ten
// ports are used.
func TestRoutes(t *testing.T) {
	for _, nodes := range []int{1, 2, 12, 13, 100, 1024} {
		torus := NewTorus(nodes)
		if torus.Places() < nodes || nodes <= 12 && torus.Places() != 12 {
			t.Errorf("%d places for %d nodes", torus.Places(), nodes)
		}
		used := map[int]bool{}
		for from := range min(nodes, 30) {
			for to := range nodes {
				hops := 0
				for at := from; at != to; hops++ {
					port, next := torus.Next(at, to)
					if port < 0 || port >= NetworkPorts || next < 0 || next >= torus.Places() || hops > 30 {
						t.Fatalf("from %d to %d: port %d of node %d to %d", from, to, port, at, next)
					}
					used[port] = true
					at = next
				}
				if want := torus.apart(from, to); hops != want {
					t.Errorf("from %d to %d: %d hops, %d apart", from, to, hops, want)
				}
			}
		}
		if port, at := torus.Next(0, 0); port != -1 || at != 0 {
			t.Errorf("a packet that is there leaves by port %d", port)
		}
		if want := map[int]int{1024: 10}[nodes]; want > 0 && len(used) != want {
			t.Errorf("%d ports used: %v", len(used), used)
		}
	}
}

// apart returns the number of links between two places.
func (t *Torus) apart(a, b int) (hops int) {
	for _, size := range t.size {
		d := (a%size - b%size + size) % size
		hops += min(d, size-d)
		a, b = a/size, b/size
	}
	return hops
}

// TestSentByPort: packets are counted at the port by which they leave.
func TestSentByPort(t *testing.T) {
	n := open(t, 13)
	for to := range 13 {
		post(t, n[0].Port(to%InjectionPorts), Order{Command: Put, Node: to, Tag: TagBootstrap, Local: make([]byte, 2*PacketBytes+1)})
		var want [NetworkPorts]uint64
		for i := range to {
			if port, _ := n[0].torus.Next(0, i+1); port >= 0 {
				want[port] += 3
			}
		}
		for port := range NetworkPorts {
			if got := n[0].Sent(port); got != want[port] {
				t.Errorf("after node %d: %d packets by port %d, want %d", to, got, port, want[port])
			}
		}
	}
}
