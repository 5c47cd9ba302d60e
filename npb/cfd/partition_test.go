package cfd

import "testing"

// TestPartition checks that the cells of all ranks tile the grid, and that each
// neighbour cell is on the rank that the partition names (section 2.1).
func TestPartition(t *testing.T) {
	for _, root := range []int{1, 2, 3, 4} {
		const n = 14
		parts := make([]Partition, root*root)
		owner := map[[3]int]int{}
		points := 0
		for rank := range parts {
			parts[rank] = NewPartition(n, root*root, rank)
			for z, c := range parts[rank].Coord {
				if _, twice := owner[c]; twice {
					t.Errorf("cell %v has two owners", c)
				}
				owner[c] = rank
				e := parts[rank].Boxes[z].Edge
				points += e[0] * e[1] * e[2]
			}
		}
		if points != n*n*n {
			t.Errorf("%d cells hold %d points", len(owner), points)
		}
		for rank, p := range parts {
			for d := range 3 {
				for s := range root {
					c := p.Coord[p.At(d, s)]
					if c[d] != s {
						t.Errorf("At(%d, %d) is %v", d, s, c)
					}
					up := c
					up[d]++
					if up[d] < root && owner[up] != p.Succ[d] {
						t.Errorf("rank %d: %v is on %d, not %d", rank, up, owner[up], p.Succ[d])
					}
					down := c
					down[d]--
					if down[d] >= 0 && owner[down] != p.Pred[d] {
						t.Errorf("rank %d: %v is on %d, not %d", rank, down, owner[down], p.Pred[d])
					}
				}
			}
		}
	}
}

// TestLayouts checks that no two values of a box share a place, and that
// neighbours are where Stride says.
func TestLayouts(t *testing.T) {
	edge := [3]int{5, 7, 4}
	for name, l := range map[string]Layout{
		"rows": RowLayout(edge, Ghosts, 6, 1), "diagonals": DiagonalLayout(edge, Ghosts, 6, 1),
	} {
		seen := map[int]bool{}
		for k := -Ghosts; k < edge[2]+Ghosts; k++ {
			for j := -Ghosts; j < edge[1]+Ghosts; j++ {
				for i := -Ghosts; i < edge[0]+Ghosts; i++ {
					for m := range 6 {
						at := l.At(i, j, k) + m*l.Comp
						if seen[at] || at < margin || at >= l.Size-margin {
							t.Fatalf("%s: (%d,%d,%d) component %d at %d", name, i, j, k, m, at)
						}
						seen[at] = true
					}
				}
			}
		}
	}
	box := Box{N: 20, Low: [3]int{0, 13, 5}, Edge: edge}
	if n := len(box.Runs(ByRows)); n != 6 {
		t.Errorf("%d rows", n)
	}
	points := 0
	for _, r := range box.Runs(ByDiagonals) {
		points += r.Len - r.Skip
	}
	if points != 4*6 {
		t.Errorf("the diagonals hold %d points", points)
	}
}
