package wait

import "testing"

// TestRunnable: what runs is there; what is no such text says nothing.
func TestRunnable(t *testing.T) {
	for text, want := range map[string]int{
		"0.00 0.01 0.05 1/108 4242\n":    1,
		"9.99 9.99 9.99 130/999 4242\n":  130,
		"0.00 0.01 0.05\n":               0,
		"0.00 0.01 0.05 many/108 4242\n": 0,
		"0.00 0.01 0.05 -3/108 4242\n":   0,
		"":                               0,
	} {
		if got := runnableIn([]byte(text)); got != want {
			t.Errorf("%q: %d, want %d", text, got, want)
		}
	}
}

// looks returns what finds each of counts once, and then the last of them.
func looks(counts ...int) func() int {
	return func() int {
		n := counts[0]
		if len(counts) > 1 {
			counts = counts[1:]
		}
		return n
	}
}

// TestAlone: who cannot know of others is alone, as is who finds none at one of the looks.
func TestAlone(t *testing.T) {
	late := []int{1}
	for range aloneLooks - 1 {
		late = append([]int{2}, late...)
	}
	for _, c := range []struct {
		found []int
		want  bool
	}{{[]int{1}, true}, {[]int{0}, true}, {[]int{2}, false}, {[]int{100}, false}, {late, true}, {append([]int{2}, late...), false}} {
		if got := alone(looks(c.found...)); got != c.want {
			t.Errorf("%v: %v", c.found, got)
		}
	}
}
