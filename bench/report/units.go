package report

import (
	"fmt"
	"math"
	"strconv"

	"gonum.org/v1/plot"
)

// A unit formats figures readably: with the prefix that leaves one to three digits before the point.
type unit struct {
	axis  string // label of an axis
	steps []step
}

// A step of a unit is its name for values from a threshold on, in the unit of the data.
type step struct {
	from float64
	name string
}

var (
	seconds    = unit{"time", []step{{1e-9, "ns"}, {1e-6, "µs"}, {1e-3, "ms"}, {1, "s"}}}
	times      = unit{"time", []step{{1e-3, "ns"}, {1, "µs"}, {1e3, "ms"}, {1e6, "s"}}}
	rates      = unit{"size / time", []step{{1e-3, "kB/s"}, {1, "MB/s"}, {1e3, "GB/s"}, {1e6, "TB/s"}}}
	memories   = unit{"memory of a rank", []step{{1.0 / 1024, "B"}, {1, "KiB"}, {1024, "MiB"}, {1 << 20, "GiB"}}}
	messages   = unit{"message size", []step{{1, "B"}, {1 << 10, "KiB"}, {1 << 20, "MiB"}, {1 << 30, "GiB"}}}
	mops       = unit{"rate", []step{{1e-3, "kop/s"}, {1, "Mop/s"}, {1e3, "Gop/s"}, {1e6, "Top/s"}}}
	percentage = unit{"", []step{{1, "%"}}}
	numbers    = unit{"", []step{{1, ""}}}
)

// unitOf returns the unit for a line of a comparison.
func unitOf(name string) unit {
	switch name {
	case "usec":
		return times
	case "s":
		return seconds
	case "KiB":
		return memories
	case "Mop/s":
		return mops
	}
	return unit{name, []step{{1, name}}}
}

// text writes a value with three digits, or all before the point.
func (u unit) text(v float64) string { return u.write(v, 3) }

// tick returns an axis label: as short as possible while exact.
func (u unit) tick(v float64) string { return u.write(v, exact) }

// exact is the maximum number of digits of a label.
const exact = 6

func (u unit) write(v float64, digits int) string {
	if math.IsNaN(v) {
		return "-"
	}
	if v == 0 {
		return "0"
	}
	at := u.steps[0]
	for _, s := range u.steps {
		if v >= s.from*0.9995 && digits < exact || v >= s.from*(1-1e-9) {
			at = s
		}
	}
	v /= at.from
	text := strconv.FormatFloat(v, 'g', digits, 64)
	if digits < exact && v >= 0.9995 && v < 9.995e8 {
		text = fmt.Sprintf("%.*f", max(0, digits-1-int(math.Floor(math.Log10(v*1.0005)))), v)
	} else if v >= 1e6 {
		text = fmt.Sprintf("%.0f", v)
	}
	if at.name == "" {
		return text
	}
	return text + " " + at.name
}

// bytesText writes a message size.
func bytesText(n int) string {
	if n == 0 {
		return "0 B"
	}
	return messages.tick(float64(n))
}

// fewTicks is the minimum number of labels of an axis.
const fewTicks = 3

// ticks marks values of a unit on an axis.
func (u unit) ticks(values []float64) (ticks []plot.Tick) {
	for _, v := range values {
		ticks = append(ticks, plot.Tick{Value: v, Label: u.tick(v)})
	}
	return ticks
}

// logarithmic marks powers of ten, every second or third in a very long range; 1, 2 and 5 of each in a
// short one; and even steps in a range of less than a decade.
func (u unit) logarithmic(lo, hi float64) []plot.Tick {
	first, last := math.Floor(math.Log10(lo)), math.Ceil(math.Log10(hi))
	for _, way := range []struct {
		digits []float64
		every  float64
	}{{[]float64{1}, 3}, {[]float64{1}, 2}, {[]float64{1}, 1}, {[]float64{1, 2, 5}, 1}} {
		var values []float64
		for e := first; e <= last; e++ {
			for _, d := range way.digits {
				if v := d * math.Pow(10, e); math.Mod(e, way.every) == 0 && within(v, lo, hi) {
					values = append(values, v)
				}
			}
		}
		if n := len(values); n >= fewTicks+2 || n >= fewTicks && way.every == 1 {
			return u.ticks(values)
		}
	}
	return u.ticks(even(lo, hi))
}

// binary marks powers of two: with the smallest step that does not give too many marks.
func (u unit) binary(lo, hi float64) []plot.Tick {
	for _, step := range []float64{1 << 6, 1 << 4, 1 << 2, 1 << 1} {
		var values []float64
		for v := 1.0; v <= hi*1.001; v *= step {
			if within(v, lo, hi) {
				values = append(values, v)
			}
		}
		if len(values) >= fewTicks+2 || step == 2 && len(values) >= fewTicks {
			return u.ticks(values)
		}
	}
	return u.ticks(even(lo, hi))
}

func within(v, lo, hi float64) bool { return v >= lo*0.999 && v <= hi*1.001 }

// even returns at least fewTicks round values between two.
func even(lo, hi float64) (values []float64) {
	for size := math.Pow(10, math.Floor(math.Log10(hi-lo))); ; size /= 10 {
		for _, d := range []float64{5, 2, 1} {
			values = nil
			for i := math.Ceil(lo * 0.9999 / (d * size)); i*d*size <= hi*1.0001; i++ {
				values = append(values, i*d*size)
			}
			if len(values) >= fewTicks {
				return values
			}
		}
	}
}

// ofRanks marks numbers of ranks, and powers of two between them if they are few.
func ofRanks(ranks []float64) plot.Ticker {
	return plot.TickerFunc(func(lo, hi float64) []plot.Tick {
		if len(ranks) >= fewTicks {
			return numbers.ticks(ranks)
		}
		return numbers.binary(lo, hi)
	})
}
