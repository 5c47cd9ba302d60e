package tcp

// A Reader takes the frames of a stream apart.
type Reader struct {
	most int    // bytes of the longest packet with its head
	in   []byte // what has come, of which from r to w has not been looked at
	r, w int
	into []byte // where the rest of a body goes; empty: to in
	over bool   // nothing more comes
}

// NewReader makes a reader of a stream whose packets are at most so long, with their heads.
func NewReader(longest int) Reader { return Reader{most: longest, in: make([]byte, 2*longest)} }

// Over reports whether the stream has ended, of which there may be frames still.
func (r *Reader) Over() bool { return r.over }

// Fill takes what has come from the system once. It reports whether that was anything, the end included, and
// whether it was the last of a body that Into waits for; then there may be more.
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

// Head returns the head of the next frame where it lies, nil if it is not there.
func (r *Reader) Head() *Head {
	if len(r.into) > 0 || r.w-r.r < HeadBytes {
		return nil
	}
	return (*Head)(r.in[r.r:])
}

// Packet returns the next frame, of n bytes behind the head and no more than a packet may have, where it lies, nil if
// not all of it is there. It holds until the next Fill.
func (r *Reader) Packet(n int) []byte {
	if r.w-r.r < HeadBytes+n {
		return nil
	}
	b := r.in[r.r : r.r+HeadBytes+n]
	r.r += len(b)
	return b
}

// Into takes the next frame, whose body belongs to b, and reports whether all of that is there.
func (r *Reader) Into(b []byte) (whole bool) {
	r.r += HeadBytes
	n := copy(b, r.in[r.r:r.w])
	r.r += n
	r.into = b[n:]
	return len(r.into) == 0
}
