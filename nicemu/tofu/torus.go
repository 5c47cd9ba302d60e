package tofu

// A node has a place in a mesh of six axes: a large torus of three (X, Y, Z), at
// each point of which stand twelve nodes, 2 x 3 x 2, along three short axes (A, B, C).
// Two ports lead along each long axis and along B, whose three nodes form a ring;
// one leads along A and one along C, of two nodes each: ten in all. (The
// specification states their number, in section 5; the axes are our choice, after the
// machine that it measured on.)

// An axis of the mesh.
type axis struct {
	name  string
	nodes int // 0: as many as the job needs
	port  int // towards the next node; the one after it leads back, if there is one
}

// axes in the order in which a packet travels them, which keeps routes free of deadlock
// within an axis: A to C at the start, then the torus.
var axes = [...]axis{{"A", 2, 0}, {"B", 3, 1}, {"C", 2, 3}, {"X", 0, 4}, {"Y", 0, 6}, {"Z", 0, 8}}

// A Torus gives the nodes of a job their places.
type Torus struct{ size [len(axes)]int }

// NewTorus returns the smallest mesh with X, Y and Z as equal as they can be that
// has a place for so many nodes. Places that no node takes pass packets on.
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

// Places returns how many nodes the mesh has room for.
func (t *Torus) Places() int {
	n := 1
	for _, size := range t.size {
		n *= size
	}
	return n
}

// Next returns the network port by which a packet at node from leaves for node to,
// and the node that it comes to; port -1 if it is there.
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
