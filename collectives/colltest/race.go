//go:build race

package colltest

// raceDetector says that the program runs some ten times slower than usual.
const raceDetector = true
