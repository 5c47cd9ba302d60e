//go:build race

package mpi_test

// raceEnabled tells that the race detector watches.
const raceEnabled = true
