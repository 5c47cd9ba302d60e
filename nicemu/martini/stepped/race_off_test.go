//go:build !race

package stepped

const raceDetector = false
