package contract_test

import (
	"errors"
	"strings"
	"testing"

	"rhinet/llc/contract"
	"rhinet/llc/ir"
	"rhinet/llc/nictest"
)

// A controller has codes that all go at once.
type controller struct{ skip uint64 }

var errNone = errors.New("no such sequence")

func (controller) Sequences() int { return 2 }

func (c controller) Sequence(number int, _ []int, base uint64) (ir.Codes, error) {
	if number == 1 {
		return nil, errNone
	}
	return &hasty{next: base, skip: c.skip}, nil
}

// hasty codes wait for no peer.
type hasty struct{ next, skip uint64 }

func (h *hasty) Code(uint32)              { h.next += 1 + h.skip }
func (h *hasty) Go() bool                 { return true }
func (h *hasty) Mark(int) (uint32, bool)  { return 7, true }
func (h *hasty) Ahead(int) (uint32, bool) { return 8, true }
func (h *hasty) Next() uint64             { return h.next }

// TestCodes: codes are executed one after the other, in a sequence that exists, and wait for all others.
func TestCodes(t *testing.T) {
	for name, c := range map[string]struct {
		skip uint64
		do   func(c ir.Controller) error
		want string
	}{
		"as it should be": {do: func(c ir.Controller) error { _, err := c.Sequence(0, []int{1}, 1); return err }},
		"the first code waits for nobody": {do: func(c ir.Controller) error {
			codes, err := c.Sequence(0, []int{1}, 1)
			codes.Code(0)
			if mark, ok := codes.Mark(1); !codes.Go() || mark != 7 || !ok || codes.Next() != 2 {
				return errNone
			}
			if mark, ok := codes.Ahead(1); mark != 8 || !ok {
				return errNone
			}
			return err
		}},
		"a sequence that is refused": {do: func(c ir.Controller) error {
			if _, err := c.Sequence(1, []int{1}, 1); !errors.Is(err, errNone) {
				return errors.New("another error")
			}
			return nil
		}},
		"no sequence": {do: func(c ir.Controller) error { _, err := c.Sequence(2, []int{1}, 1); return err }, want: "the caller of loopback breaks the contract of ir.Translator (codes): sequence 2 begins at place 1"},
		"place 0":     {do: func(c ir.Controller) error { _, err := c.Sequence(0, []int{1}, 0); return err }, want: "sequence 0 begins at place 0"},
		"two codes at once": {do: func(c ir.Controller) error {
			codes, err := c.Sequence(0, []int{1}, 1)
			codes.Code(0)
			codes.Code(0)
			return err
		}, want: "the caller of loopback breaks the contract of ir.Translator (codes): a code at place 2 of sequence 0"},
		"passed too early": {do: func(c ir.Controller) error {
			codes, err := c.Sequence(0, []int{1}, 1)
			for range 2 {
				codes.Code(0)
				codes.Go()
			}
			return err
		}, want: "loopback breaks the contract of ir.Translator (codes): the code at place 2 of sequence 0 is passed, and peer 1 has not come"},
		"another place": {skip: 1, do: func(c ir.Controller) error {
			codes, err := c.Sequence(0, []int{1}, 1)
			codes.Code(0)
			codes.Next()
			return err
		}, want: "the next code of sequence 0 is at place 3, and should be at 2"},
	} {
		var found []error
		ts := nictest.Loopback(2, nictest.DefaultCaps())
		for i := range ts {
			a := ir.AbilitiesOf(ts[i])
			a.Controller = controller{c.skip}
			ts[i] = a.Give(ts[i])
		}
		ts = contract.WatchAll(ts, func(err error) { found = append(found, err) })
		if err := c.do(ir.AbilitiesOf(ts[0]).Controller); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if c.want == "" && found != nil || c.want != "" && (len(found) != 1 || !strings.Contains(found[0].Error(), c.want)) {
			t.Errorf("%s: %v, want %q", name, found, c.want)
		}
	}
}
