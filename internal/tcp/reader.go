package tcp

// A Reader splits a stream into frames.
type Reader struct {
	most int    // bytes of the longest packet with its head
	in   []byte // received data, of which in[r:w] has not been consumed
	r, w int
	into []byte // where the rest of a body goes; empty: into in
	over bool   // nothing more comes
}

// NewReader makes a reader of a stream whose packets have at most longest bytes, including their heads.
func NewReader(longest int) Reader { return Reader{most: longest, in: make([]byte, 2*longest)} }

// Over reports whether the stream has ended; received frames may remain.
func (r *Reader) Over() bool { return r.over }

// Fill receives from the system once. It reports whether anything came, including the end, and whether that
// completed a body that Into waits for; then there may be more to receive.
func (r *Reader) Fill(s Socket) (news, whole bool) {
	to, body := r.into, len(r.into) > 0
	if !body {
		if r.r == r.w {
			r.r, r.w = 0, 0
		} else if r.r > 0 && len(r.in)-r.r < r.most {
			r.r, r.w = 0, copy(r.in, r.in[r.r:r.w])
		}
		to = r.in[r.w:]
	}
	n, err := s.Recv(to)
	r.over = err != nil
	if body {
		r.into = r.into[n:]
		return n > 0 || r.over, len(r.into) == 0
	}
	r.w += n
	return n > 0 || r.over, false
}

// Head returns the head of the next frame in place, nil if it has not come.
func (r *Reader) Head() *Head {
	if len(r.into) > 0 || r.w-r.r < HeadBytes {
		return nil
	}
	return (*Head)(r.in[r.r:])
}

// Packet returns the next frame in place, with n bytes after the head, at most as many as a packet may
// have; nil if it has not come completely. It is valid until the next Fill.
func (r *Reader) Packet(n int) []byte {
	if r.w-r.r < HeadBytes+n {
		return nil
	}
	b := r.in[r.r : r.r+HeadBytes+n]
	r.r += len(b)
	return b
}

// Into consumes the next frame, stores its body in b, and reports whether all of the body has come.
func (r *Reader) Into(b []byte) (whole bool) {
	r.r += HeadBytes
	n := copy(b, r.in[r.r:r.w])
	r.r += n
	r.into = b[n:]
	return len(r.into) == 0
}
