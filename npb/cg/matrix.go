package cg

import (
	"math"
	"slices"

	"rhinet/npb/nas"
)

// A matrix is a block of a sparse matrix in compressed row form. Columns are relative to the block's first
// column and ascend within a row. They have 16 bits if that is enough, since the speed of a product is
// limited by reading the matrix.
type matrix struct {
	start []int32 // of each row in the columns and value; the last one ends the last row
	short []uint16
	long  []uint32 // if short is nil
	value []float64
}

// overread is how many elements a product may read beyond the last column.
const overread = 8

// A vectors is the set of sparse random vectors v_0, v_1, ... from which the matrix is built: width entries
// each, of which the first count[o] are in use.
type vectors struct {
	width    int
	count    []int32
	position []int32
	value    []float64
}

// newVectors draws the random vectors of a problem. It always draws all of them, because there is one
// sequence of random numbers for the whole matrix.
func newVectors(p params) *vectors {
	v := &vectors{width: p.nonzer + 1, count: make([]int32, p.na)}
	v.position = make([]int32, p.na*v.width)
	v.value = make([]float64, p.na*v.width)
	span := 46 - nas.Log2(2*p.na-1) // shift of a state to a position below 2^k >= na
	r := nas.NewRandom(seed)
	r.Next() // by definition the first value is not used
	for o := range p.na {
		pos, val := v.position[o*v.width:], v.value[o*v.width:]
		n := 0
		for n < p.nonzer {
			e := r.Float64()
			at := int32(r.Next() >> span)
			if int(at) >= p.na || slices.Contains(pos[:n], at) {
				continue
			}
			pos[n], val[n] = at, e
			n++
		}
		i := slices.Index(pos[:n], int32(o))
		if i < 0 {
			i = n
			n++
		}
		pos[i], val[i] = int32(o), 0.5
		v.count[o] = int32(n)
	}
	return v
}

// newMatrix makes the block of the matrix
//
//	sum over o of  w_o v_o v_o^T  +  (rcond - shift) I ,   w_o = rcond^(o/na)
//
// with rows row0 <= i < row0+rows and columns col0 <= j < col0+cols.
func newMatrix(p params, row0, rows, col0, cols int) *matrix {
	v := newVectors(p)
	weight := make([]float64, p.na)
	ratio := math.Pow(rcond, 1/float64(p.na))
	for o, w := 0, 1.0; o < p.na; o, w = o+1, w*ratio {
		weight[o] = w
	}
	uses, first := v.byRow(row0, rows)

	// Room for all elements, with a margin for random variation: growing would take twice the memory.
	room := len(uses)*v.width*cols/p.na*17/16 + 1024
	m := &matrix{start: make([]int32, rows+1), value: make([]float64, 0, room)}
	all := make([]uint32, 0, room)
	sum := make([]float64, cols) // of the present row
	seen := make([]int32, cols)  // row+1 in which sum was last used
	var columns []int32          // of the present row
	for i := range rows {
		columns = columns[:0]
		add := func(j int, x float64) {
			if seen[j] != int32(i+1) {
				seen[j], sum[j] = int32(i+1), 0
				columns = append(columns, int32(j))
			}
			sum[j] += x
		}
		for _, u := range uses[first[i]:first[i+1]] {
			o := int(u) / v.width
			at := o * v.width
			for k := range int(v.count[o]) {
				if j := int(v.position[at+k]) - col0; j >= 0 && j < cols {
					add(j, v.value[u]*(weight[o]*v.value[at+k]))
				}
			}
		}
		if j := row0 + i - col0; j >= 0 && j < cols {
			add(j, rcond-p.shift)
		}
		slices.Sort(columns)
		for _, j := range columns {
			all = append(all, uint32(j))
			m.value = append(m.value, sum[j])
		}
		m.start[i+1] = int32(len(all))
	}
	m.setColumns(all, cols)
	return m
}

// setColumns stores the columns, all below cols, in the smallest form.
func (m *matrix) setColumns(all []uint32, cols int) {
	all = append(all, make([]uint32, overread)...)
	if cols > 1<<16 {
		m.long = all
		return
	}
	m.short = make([]uint16, len(all))
	for i, j := range all {
		m.short[i] = uint16(j)
	}
}

// byRow returns which entries of v are in each of the rows: those of row i are uses[first[i]:first[i+1]],
// indices into position in ascending order.
func (v *vectors) byRow(row0, rows int) (uses, first []int32) {
	first = make([]int32, rows+2)
	each := func(f func(entry int32, row int)) {
		for o, n := range v.count {
			for k := o * v.width; k < o*v.width+int(n); k++ {
				if i := int(v.position[k]) - row0; i >= 0 && i < rows {
					f(int32(k), i)
				}
			}
		}
	}
	each(func(_ int32, i int) { first[i+2]++ })
	for i := range rows {
		first[i+2] += first[i+1]
	}
	uses = make([]int32, first[rows+1])
	each(func(entry int32, i int) {
		uses[first[i+1]] = entry
		first[i+1]++
	})
	return uses, first[:rows+1]
}
