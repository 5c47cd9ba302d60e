//go:build race

package martini

const raceEnabled = true
