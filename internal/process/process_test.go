package process

import (
	"errors"
	"sync"
	"testing"
)

func TestUse(t *testing.T) {
	failed := errors.New("failed")
	err := Use(func(value any) (any, error) {
		if value != nil {
			t.Errorf("%v is kept at first", value)
		}
		return 1, failed
	})
	if err != failed {
		t.Errorf("the error is %v", err)
	}
	var all sync.WaitGroup
	for range 100 {
		all.Go(func() {
			if err := Use(func(value any) (any, error) { return value.(int) + 1, nil }); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	Use(func(value any) (any, error) {
		if value != 101 {
			t.Errorf("%v is kept, want 101", value)
		}
		return nil, nil
	})
}
