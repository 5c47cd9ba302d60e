package bench

import (
	"fmt"
	"slices"
	"strings"
)

// Pick returns the element of all that is called name or, if there is none, the names of all, in order and
// separated by commas. names returns the name of an element.
func Pick[T any](all []T, names func(T) string, name string) (found T, known string, ok bool) {
	var list []string
	for _, e := range all {
		n := names(e)
		if n == name {
			return e, "", true
		}
		list = append(list, n)
	}
	return found, strings.Join(list, ", "), false
}

// Choose returns the elements of all that have one of the names (case does not matter), each once, in the
// order of the names; all if names is empty. called returns the name of an element. unknown is the text of
// the error for a name that does not exist, with %q for the name.
func Choose[T any](all []T, called func(T) string, names []string, unknown string) (chosen []T, err error) {
	if len(names) == 0 {
		return all, nil
	}
	for _, name := range names {
		is := func(e T) bool { return strings.EqualFold(called(e), name) }
		i := slices.IndexFunc(all, is)
		if i < 0 {
			_, known, _ := Pick(all, called, "")
			return nil, fmt.Errorf(unknown+"; there are %s", name, known)
		}
		if !slices.ContainsFunc(chosen, is) {
			chosen = append(chosen, all[i])
		}
	}
	return chosen, nil
}

// Number returns a number with the noun in its right form: "1 round", "2 rounds".
func Number(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}
