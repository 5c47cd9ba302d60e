//go:build !amd64 || purego

package ep

// fastest returns the adder for this processor.
func fastest() adder { return addGo }
