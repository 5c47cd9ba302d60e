//go:build !race

package colltest

const raceDetector = false
