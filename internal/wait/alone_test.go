package wait

import "testing"

// TestRunnable: the number of runnable processes is read from the text; other texts give none.
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

// looks returns a function that returns each of counts once, and then always the last one.
func looks(counts ...int) func() int {
	return func() int {
		n := counts[0]
		if len(counts) > 1 {
			counts = counts[1:]
		}
		return n
	}
}

// TestAlone: a process that cannot know about others is alone, and so is one that finds no others in one of
// the checks.
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
