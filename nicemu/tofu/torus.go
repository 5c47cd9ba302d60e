package tofu

// A node has a place in a mesh of six axes: a large torus of three (X, Y, Z), with twelve nodes at
// each point, 2 x 3 x 2, along three short axes (A, B, C). There are two ports along each long axis
// and along B, whose three nodes form a ring, and one along each of A and C, which have two nodes:
// ten in all. (The specification states their number, in section 5; the axes are our choice, after
// the machine of its measurements.)

// An axis of the mesh.
type axis struct {
	name  string
	nodes int // 0: as many as the job needs
	port  int // towards the next node; port + 1 leads back, if there is one
}

// axes in the order in which a packet travels them, which keeps routes free of deadlock within an
// axis: A to C first, then the torus.
var axes = [...]axis{{"A", 2, 0}, {"B", 3, 1}, {"C", 2, 3}, {"X", 0, 4}, {"Y", 0, 6}, {"Z", 0, 8}}

// A Torus gives the nodes of a job their places.
type Torus struct{ size [len(axes)]int }

// NewTorus returns the smallest mesh, with X, Y and Z as equal as possible, that has places for the
// given number of nodes. Places without a node forward packets.
func NewTorus(nodes int) *Torus {
	t := &Torus{}
	for i, a := range axes {
		t.size[i] = max(a.nodes, 1)
	}
	for next := 3; t.Places() < nodes; next++ {
		if next == len(axes) {
			next = 3
		}
		t.size[next]++
	}
	return t
}

// Places returns the number of places in the mesh.
func (t *Torus) Places() int {
	n := 1
	for _, size := range t.size {
		n *= size
	}
	return n
}

// Next returns the network port by which a packet at node from leaves for node to, and the node at
// the other end of that link; the port is -1 if the packet is there.
func (t *Torus) Next(from, to int) (port, next int) {
	stride := 1
	for i, a := range axes {
		size := t.size[i]
		here, there := from/stride%size, to/stride%size
		if here != there {
			port, step := a.port, 1
			if size > 2 && (there-here+size)%size > size/2 {
				port, step = a.port+1, size-1
			}
			return port, from + ((here+step)%size-here)*stride
		}
		stride *= size
	}
	return -1, to
}
