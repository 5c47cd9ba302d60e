// Package tracetest holds traces to the formats that they are written in. It is for tests, and knows none of what
// writes them.
//
//	chrome.go  the trace event format, which Perfetto and chrome://tracing open
//	vcd.go     value change dumps (IEEE 1364-2005, clause 18), with the strings that GTKWave adds
package tracetest

import (
	"fmt"
	"path"
)

// Check returns what is wrong with a file whose name tells the format: .json or .vcd.
func Check(name string, text []byte) (err error) {
	switch path.Ext(name) {
	case ".json":
		_, err = Chrome(text)
	case ".vcd":
		_, err = VCD(text)
	default:
		err = fmt.Errorf("%s is no trace", name)
	}
	return err
}
