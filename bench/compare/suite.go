package compare

import (
	"fmt"
	"slices"

	"rhinet/bench"
	"rhinet/bench/pmb"
)

// inSuite reports whether a test is in the suite of bench pmb. Names are exact: PingPong is in it, pingpong
// is not.
func inSuite(test string) bool {
	b, err := pmb.Find(test)
	return err == nil && b.Name == test
}

// Suite plans tests of the suite of bench pmb, those of blocking calls if none is named, on the given
// numbers of ranks. Sizes are the message sizes; nil means a few that represent every regime. skipped lists
// what cannot run.
func Suite(names []string, ranks, sizes []int) (cells []Cell, skipped []string, err error) {
	chosen, err := pmb.Named(names)
	if err != nil {
		return nil, nil, err
	}
	other := func(b pmb.Benchmark) bool { return !b.Peers }
	for _, name := range names {
		if b, err := pmb.Find(name); err == nil && other(b) {
			return nil, nil, fmt.Errorf("%s is not compared; Uniband and Biband on 2 ranks are the same", b.Name)
		}
	}
	chosen = slices.DeleteFunc(chosen, other)
	ranks, sizes = once(ranks), once(sizes)
	for _, b := range chosen {
		for _, n := range ranks {
			if n < 2 {
				return nil, nil, fmt.Errorf("--ranks %d is too few; the suite is compared on 2 or more", n)
			}
			if err := pmb.Check([]pmb.Benchmark{b}, n, pmb.Options{Sizes: sizes}); err != nil {
				return nil, nil, err
			}
			if !b.On(n) {
				skipped = append(skipped, fmt.Sprintf("%s does not run on %s", b.Name, bench.Number(n, "rank")))
				continue
			}
			cells = append(cells, Cell{b.Name, n, suiteSizes(b, sizes)})
		}
	}
	if len(cells) == 0 {
		return nil, nil, fmt.Errorf("nothing to measure: %s", skipped[0])
	}
	return cells, skipped, nil
}

// once returns the numbers without duplicates, in order.
func once(list []int) []int { return slices.Compact(slices.Sorted(slices.Values(list))) }

func suiteSizes(b pmb.Benchmark, sizes []int) []int {
	switch {
	case b.Sizeless():
		return []int{0}
	case len(sizes) > 0:
		return sizes
	}
	return []int{8, 1 << 10, 4 << 10, 16 << 10, 64 << 10, 256 << 10, 1 << 20}
}

// parseSuite parses the output of `bench pmb --format csv`.
func parseSuite(text string) ([]bench.Row, error) {
	list, err := pmb.ParseCSV(text)
	if err != nil {
		return nil, err
	}
	var rows []bench.Row
	for _, r := range list {
		rows = append(rows, bench.Row{Test: r.Test, Ranks: r.Ranks, Bytes: r.Bytes, Repetitions: r.Repetitions, Microsecs: r.Usec()})
		if r.Overlaps() {
			rows = append(rows, bench.Row{Test: pmb.OverlapTest(r.Test), Ranks: r.Ranks, Bytes: r.Bytes, Repetitions: r.Repetitions, Microsecs: r.Hidden})
		}
	}
	return rows, nil
}
