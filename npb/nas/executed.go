package nas

import "strings"

// counted returns how many percent of the operations that the NPB's formula counts a kernel executes: the
// floating point operations of its vector loops, a fused multiply-add counting as two. The formulas count
// the loops of the original; the loops here compute fewer values twice. Kernels not listed execute about as
// many as the formula counts, or their operations have not been counted.
func counted(kernel string) int {
	switch strings.ToUpper(kernel) {
	case "LU":
		return 47
	case "BT":
		return 73
	case "SP":
		return 86
	case "FT":
		return 74
	}
	return 0
}

// Executed returns the share of the counted operations that a kernel executes, in percent; ok is false for
// kernels whose share is not known. Rates such as Mop/s use the operations counted by the formula, as in
// all implementations.
func Executed(kernel string) (percent int, ok bool) {
	percent = counted(kernel)
	return percent, percent > 0
}

// AboutRates returns notes that help to interpret the rates of kernels, one sentence each; nil if there are
// none.
func AboutRates(kernels []string) (notes []string) {
	seen := map[string]bool{}
	var shares, caches []string
	for _, k := range kernels {
		k = strings.ToUpper(k)
		if seen[k] {
			continue
		}
		seen[k] = true
		if percent, ok := Executed(k); ok {
			shares = append(shares, k+" "+percentText(percent))
		}
		if k == "SP" || k == "BT" {
			caches = append(caches, k)
		}
	}
	if len(shares) > 0 {
		notes = append(notes, "Mop/s are by the operations that the NPB count; of these our loops execute: "+strings.Join(shares, ", "))
	}
	switch len(caches) {
	case 1:
		notes = append(notes, caches[0]+" leans on a large last-level cache")
	case 2:
		notes = append(notes, strings.Join(caches, " and ")+" lean on a large last-level cache")
	}
	return notes
}
