package ft

// lines say where up to 8 lines are in an array of points, each with a real and an imaginary part: at holds
// their first points, and consecutive points are stride numbers apart. Lanes beyond used repeat the last
// line, so that results for them are finite; they are not stored.
type lines struct {
	at     [lanes]int
	used   int
	stride int
}

// gather copies n points of the lines to the start of work.
func (l *lines) gather(work []float64, n int, from []float64) {
	for i := range n {
		w, points := (*[cell]float64)(work[i*cell:]), from[i*l.stride:]
		for lane, at := range l.at {
			w[lane], w[lane+lanes] = points[at], points[at+1]
		}
	}
}

// scatter copies cells place[0], place[1], ... of work to the lines, from their first points on.
func (l *lines) scatter(to, work []float64, place []int32) {
	for i, p := range place {
		w, points := (*[cell]float64)(work[int(p)*cell:]), to[i*l.stride:]
		for lane, at := range l.at[:l.used] {
			points[at], points[at+1] = w[lane], w[lane+lanes]
		}
	}
}
