package mpi_test

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"rhinet/mpi"
	"rhinet/mpi/mpitest"
)

// transports are those that every rule of the standard is tested on. The NICs are
// checked: a breach of their contract ends the tests.
var transports = transportsFor(os.Getenv("RHINET_NIC"))

type transport struct {
	name   string
	option mpitest.Option
}

// transportsFor returns all transports, or only one NIC if it is named.
func transportsFor(nic string) []transport {
	if nic != "" {
		return []transport{{"mailboxes", mpitest.Mailboxes()}, {nic, mpitest.NIC(nic)}}
	}
	return []transport{
		{"mailboxes", mpitest.Mailboxes()},
		{"martini", mpitest.NIC("martini")},
		{"martini:pm", mpitest.NIC("martini:pm")},
		{"martini:vp", mpitest.NIC("martini:vp")},
		{"ib", mpitest.NIC("ib")},
		{"hosts", onHosts(2)},
	}
}

// everywhere runs fn on n ranks over each transport.
func everywhere(t *testing.T, n int, fn func(world *mpi.Comm) error) {
	t.Helper()
	for _, tr := range transports {
		t.Run(fmt.Sprintf("%s/%d", tr.name, n), func(t *testing.T) {
			mpitest.Run(t, n, fn, tr.option)
		})
	}
}

// everywhereOn runs fn on n ranks over one transport.
func everywhereOn(t *testing.T, transport mpitest.Option, n int, fn func(world *mpi.Comm) error) {
	t.Helper()
	mpitest.Run(t, n, fn, transport)
}

// equal is an error that names what if got is not want.
func equal[T comparable](what string, got, want T) error {
	if got != want {
		return fmt.Errorf("%s: got %v, want %v", what, got, want)
	}
	return nil
}

// equalAll is equal for slices.
func equalAll[T comparable](what string, got, want []T) error {
	if !slices.Equal(got, want) {
		return fmt.Errorf("%s: got %v, want %v", what, short(got), short(want))
	}
	return nil
}

func short[T any](s []T) string {
	if len(s) > 20 {
		return fmt.Sprintf("%v... (%d)", s[:20], len(s))
	}
	return fmt.Sprint(s)
}

// is is an error unless err is of class and its text is want, if not empty.
func is(err error, class mpi.Class, want string) error {
	if !errors.Is(err, class) {
		return fmt.Errorf("got the error %v, want one of class %q", err, class)
	}
	if want != "" && err.Error() != want {
		return fmt.Errorf("got the error\n\t%v\nwant\n\t%s", err, want)
	}
	return nil
}

// tells is is for a part of the text.
func tells(err error, class mpi.Class, part string) error {
	if e := is(err, class, ""); e != nil || strings.Contains(err.Error(), part) {
		return e
	}
	return fmt.Errorf("got the error\n\t%v\nwhich does not say\n\t%s", err, part)
}

// sequence is n numbers that start at from.
func sequence(n, from int) []int {
	s := make([]int, n)
	for i := range s {
		s[i] = from + i
	}
	return s
}
