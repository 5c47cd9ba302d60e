package mpi

import (
	"slices"

	"rhinet/internal/cartesian"
)

// DimsCreate replaces the zeros of dims so that the product is nodes, with dimensions
// as equal as possible, the largest first. Entries that are not zero stay.
//
// MPI 4.1, section 8.5.2.
func DimsCreate(nodes int, dims []int) error {
	var none *Comm
	s, rest, open := at("DimsCreate"), nodes, 0
	for i, d := range dims {
		switch {
		case d < 0:
			return none.errorAt(s, ErrArg, "dims[%d] is %d; dimensions are 0 (to be chosen) or more", i, d)
		case d == 0:
			open++
		case rest%d != 0:
			return none.errorAt(s, ErrArg, "%d nodes cannot be cut by the dimensions that are given, %v; choose divisors", nodes, dims)
		default:
			rest /= d
		}
	}
	if nodes < 1 || open == 0 && rest != 1 {
		return none.errorAt(s, ErrArg, "%d nodes do not make a grid of %v; leave zeros to be chosen", nodes, dims)
	}
	chosen := cartesian.Dims(rest, open)
	for i, d := range dims {
		if d == 0 {
			dims[i], chosen = chosen[0], chosen[1:]
		}
	}
	return nil
}

// A cart is a Cartesian grid.
type cart struct{ cartesian.Grid }

func (t *cart) kind() Topology { return Cartesian }

// shifted is Shift with ProcNull beyond the ends.
func (t *cart) shifted(rank, dim, by int) (behind, ahead int) {
	behind, ahead = t.Shift(rank, dim, by)
	if behind == cartesian.None {
		behind = ProcNull
	}
	if ahead == cartesian.None {
		ahead = ProcNull
	}
	return behind, ahead
}

// neighbors returns, for each dimension, the lower and the upper neighbor. A message to
// the lower one arrives there as from its upper neighbor (MPI 4.1, section 8.6).
func (t *cart) neighbors(rank int) (in, out []edge) {
	for i := range t.Dims {
		lower, upper := t.shifted(rank, i, 1)
		for k, peer := range []int{lower, upper} {
			in = append(in, edge{peer, 2*i + k})
			out = append(out, edge{peer, 2*i + 1 - k})
		}
	}
	return in, out
}

// newCart checks the shape of a grid, which must fit into the ranks of c.
func (c *Comm) newCart(s site, dims []int, periods []bool) (*cart, error) {
	if err := c.intra(s); err != nil {
		return nil, err
	}
	if len(dims) != len(periods) {
		return nil, c.errorAt(s, ErrArg, "%d dims and %d periods; give one period for each dimension", len(dims), len(periods))
	}
	size := 1
	for i, d := range dims {
		if d < 1 {
			return nil, c.errorAt(s, ErrArg, "dims[%d] is %d; dimensions are 1 or more, and DimsCreate chooses them", i, d)
		}
		if size *= min(d, c.size+1); size > c.size {
			return nil, c.errorAt(s, ErrArg, "a grid of %v is larger than the %d ranks; DimsCreate chooses one that fits", dims, c.size)
		}
	}
	return &cart{cartesian.Grid{Dims: slices.Clone(dims), Periods: slices.Clone(periods)}}, nil
}

// CartCreate makes a communicator of the first ranks of c as a grid; ranks beyond the
// grid get nil. In a periodic dimension the ends are neighbors. Ranks keep their order.
// All ranks of c must call it.
//
// MPI 4.1, section 8.5.1.
func (c *Comm) CartCreate(dims []int, periods []bool) (_ *Comm, err error) {
	defer c.raised(&err)
	s := at("CartCreate")
	t, err := c.newCart(s, dims, periods)
	if err != nil {
		return nil, err
	}
	return c.shaped(s, t.Size(), "cart", t, argsHash(dims, periods))
}

// CartMap returns the rank that the caller would have in a grid made by
// [Comm.CartCreate], or Undefined.
//
// MPI 4.1, section 8.5.8.
func (c *Comm) CartMap(dims []int, periods []bool) (_ int, err error) {
	defer c.raised(&err)
	t, err := c.newCart(at("CartMap"), dims, periods)
	if err != nil || c.rank >= t.Size() {
		return Undefined, err
	}
	return c.rank, nil
}

func (c *Comm) cart(s site) (*cart, error) { return topologyOf[*cart](c, s, "CartCreate") }

// CartGet returns the dimensions of the grid, which of them are periodic, and the
// caller's coordinates.
//
// MPI 4.1, section 8.5.5 (MPI_Cartdim_get, MPI_Cart_get).
func (c *Comm) CartGet() (dims []int, periods []bool, coords []int, err error) {
	defer c.raised(&err)
	t, err := c.cart(at("CartGet"))
	if err != nil {
		return nil, nil, nil, err
	}
	return slices.Clone(t.Dims), slices.Clone(t.Periods), t.Coords(c.rank), nil
}

// CartRank returns the rank at the coordinates, which wrap in periodic dimensions.
//
// MPI 4.1, section 8.5.5.
func (c *Comm) CartRank(coords ...int) (_ int, err error) {
	defer c.raised(&err)
	s := at("CartRank")
	t, err := c.cart(s)
	if err != nil {
		return Undefined, err
	}
	if len(coords) != len(t.Dims) {
		return Undefined, c.errorAt(s, ErrArg, "%d coordinates in a grid of %d dimensions; give one for each", len(coords), len(t.Dims))
	}
	r := t.Rank(coords)
	if r == cartesian.None {
		return Undefined, c.errorAt(s, ErrArg, "the coordinates %v lie outside of the grid of %v, which is not periodic there", coords, t.Dims)
	}
	return r, nil
}

// CartCoords returns the coordinates of a rank.
//
// MPI 4.1, section 8.5.5.
func (c *Comm) CartCoords(rank int) (_ []int, err error) {
	defer c.raised(&err)
	s := at("CartCoords")
	t, err := c.cart(s)
	if err != nil {
		return nil, err
	}
	if rank < 0 || rank >= c.size {
		return nil, c.errorAt(s, ErrRank, "there is no rank %d; ranks are 0 to %d", rank, c.size-1)
	}
	return t.Coords(rank), nil
}

// CartShift returns the rank to receive from and the rank to send to for a shift by
// disp along a dimension; ProcNull beyond an end that is not periodic.
//
// MPI 4.1, section 8.5.6.
func (c *Comm) CartShift(dim, disp int) (src, dst int, err error) {
	defer c.raised(&err)
	s := at("CartShift")
	t, err := c.cart(s)
	if err != nil {
		return ProcNull, ProcNull, err
	}
	if dim < 0 || dim >= len(t.Dims) {
		return ProcNull, ProcNull, c.errorAt(s, ErrArg, "there is no dimension %d in a grid of %v; the first is 0", dim, t.Dims)
	}
	src, dst = t.shifted(c.rank, dim, disp)
	return src, dst, nil
}

// CartSub cuts the grid into grids of the dimensions that are kept, one for each
// combination of the other coordinates, and returns the caller's. All ranks of c must
// call it.
//
// MPI 4.1, section 8.5.7.
func (c *Comm) CartSub(keep ...bool) (_ *Comm, err error) {
	defer c.raised(&err)
	s := at("CartSub")
	t, err := c.cart(s)
	if err != nil {
		return nil, err
	}
	if len(keep) != len(t.Dims) {
		return nil, c.errorAt(s, ErrArg, "%d choices for %d dimensions; say of each whether it is kept", len(keep), len(t.Dims))
	}
	sub, color, key := t.Sub(c.rank, keep)
	return c.divideAs(s, cut{color: color, key: key, how: "sub", same: argsHash(keep)}, &cart{sub})
}
