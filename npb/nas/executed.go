package nas

import "strings"

// counted is what share, in percent, of the operations that the NPB's formula
// counts a kernel executes: the floating point operations of its vector loops, a
// fused multiply-add being two. The formulas count the original's loops, and these
// compute less twice. What is not here executes about as many as are counted, or
// has not been counted.
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

// Executed returns the share of the counted operations that a kernel executes, in
// percent; ok is false for kernels of which it is not known. Rates such as Mop/s
// are by the operations counted, as everybody's are.
func Executed(kernel string) (percent int, ok bool) {
	percent = counted(kernel)
	return percent, percent > 0
}

// AboutRates says what is to be known beside the rates of kernels, one sentence
// each; nil if there is nothing.
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
