// Package tracetest checks traces against the formats in which they are written. It is for tests, and
// independent of the code that writes them.
//
//	chrome.go  the trace event format, which Perfetto and chrome://tracing open
//	vcd.go     value change dumps (IEEE 1364-2005, clause 18), with the strings that GTKWave adds
package tracetest

import (
	"fmt"
	"path"
)

// Check returns what is wrong with a file. The extension of its name gives the format: .json or .vcd.
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
