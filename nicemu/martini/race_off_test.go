//go:build !race

package martini

const raceEnabled = false
