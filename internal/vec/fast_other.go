//go:build !amd64 || purego || race

package vec

import "math"

// shortest is the length from which the fast loops are asked; here there are none.
const shortest = math.MaxInt

func fastSum(_, _ any) int { return 0 }
func fastMin(_, _ any) int { return 0 }
func fastMax(_, _ any) int { return 0 }
