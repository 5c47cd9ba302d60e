//go:build !amd64 || purego || race

package vec

import "math"

// shortest is the length from which the fast loops are used: never.
const shortest = math.MaxInt

// shortestCopy is the length from which move is used: never.
const shortestCopy, longestCopy = math.MaxInt, 0

// shortestBlock is the length from which moveBlocks is used: never.
const shortestBlock = math.MaxInt

const hasAVX2 = false

// moveLines is never used.
const (
	shortestLines  = math.MaxInt
	stringsOfLines = false
)

const shortestPast = usualPast

func move(_, _ *byte, _ int)      {}
func moveLines(_, _ *byte, _ int) {}
func movePast(_, _ *byte, _ int)  {}

func moveBlocks(_, _ *byte, _, _, _, _ int) {}

const canDemote = false

func demote(_ *byte, _ int) {}

func fastSum(_, _ any) int { return 0 }
func fastMin(_, _ any) int { return 0 }
func fastMax(_, _ any) int { return 0 }
