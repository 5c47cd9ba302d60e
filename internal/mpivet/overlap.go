package mpivet

import "go/types"

// overlap reports a message that is sent from the buffer that another one is received into, by one call.
//
// MPI 4.1, section 3.2.7.
func (f *function) overlap() {
	f.calls(f.body, func(c call) {
		if c.arg("stag") == nil || c.arg("send") == nil || f.nobody(c) || f.empty(c.sends()) {
			return
		}
		from, known := f.bufferOf(c.sends())
		to, ok := f.bufferOf(c.fills())
		if known && ok && from.meets(to) {
			f.Reportf(c.Pos(), "%s sends %s and receives into %s, which overlap; use two buffers, or %sReplace",
				c.fn.Name(), types.ExprString(c.sends()), types.ExprString(c.fills()), c.fn.Name())
		}
	})
}

// nobody reports whether a call has ProcNull as receiver or as sender: then it does nothing with that buffer.
func (f *function) nobody(c call) bool {
	for _, name := range []string{"dst", "src"} {
		if n, ok := f.number(c.arg(name)); ok && n == procNull {
			return true
		}
	}
	return false
}
