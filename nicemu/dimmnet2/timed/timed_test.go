package timed

import (
	"testing"

	"rhinet/nicemu/dimmnet2"
	"rhinet/nicemu/vtime"
)

func model(t *testing.T, settings ...string) *Model {
	t.Helper()
	p := Parameters()
	if err := p.SetAll(settings); err != nil {
		t.Fatal(err)
	}
	m, err := New(p)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// TestComponents: eight bytes take the sum of the stated components (section 7.3 for sending, 8.2 for
// reception: 0.201 + 0.081 + 0.010 + 0.090 + 0.188 us, and 0.130 + 0.312 us).
func TestComponents(t *testing.T) {
	m := model(t)
	s, err := m.Send(8)
	if err != nil || s.Theoretical != 570*vtime.Nanosecond {
		t.Errorf("send %v, %v", s, err)
	}
	r, err := m.Receive(dimmnet2.InPW, 8)
	if err != nil || r.Theoretical != 442*vtime.Nanosecond {
		t.Errorf("receive %v, %v", r, err)
	}
	if got := m.leaves(496); got != 676*vtime.Nanosecond {
		t.Errorf("SWIF takes %v for a full window (section 7.4)", got)
	}
	if got := m.written(448); got != 409*vtime.Nanosecond || m.written(496) != got {
		t.Errorf("the host writes 464 bytes in %v", got)
	}
}

// TestPollingAlone: measured and theoretical values differ only by polling (section 12): by half a
// poll to one and a half.
func TestPollingAlone(t *testing.T) {
	m := model(t)
	none := model(t, "host.poll=0", "host.sample=0")
	least, most := m.sample, m.poll+m.sample
	for n := 8; n <= MostData; n += 8 {
		send, err := m.Send(n)
		if d := send.Measured - send.Theoretical; err != nil || d < least-m.sample || d > most {
			t.Errorf("%d bytes sent: polling adds %v, %v", n, d, err)
		}
		for _, memory := range []dimmnet2.Memory{dimmnet2.InPW, dimmnet2.InDIMM} {
			r, err := m.Receive(memory, n)
			if d := r.Measured - r.Theoretical; err != nil || d < least || d > most {
				t.Errorf("%d bytes received: polling adds %v, %v", n, d, err)
			}
			if other, _ := none.Receive(memory, n); other.Theoretical != r.Theoretical {
				t.Errorf("%d bytes: %v without polls", n, other)
			}
		}
	}
}

// TestTwoWindows: for up to one packet one window is as good as two; beyond that, two windows hide
// the work of the host, unless SWIF is slower anyway, and a packet never enters SWIF before the
// previous one has left (section 9).
func TestTwoWindows(t *testing.T) {
	m := model(t)
	for n := 8; n <= 3*MostData; n += 8 {
		one, err := m.Stream(n, 1)
		if err != nil {
			t.Fatal(err)
		}
		two, err := m.Stream(n, 2)
		if err != nil {
			t.Fatal(err)
		}
		s, _ := m.Send(min(n, MostData))
		switch {
		case n <= MostData && (one != two || one != s.Theoretical):
			t.Errorf("%d bytes: %v by one window, %v by two, %v alone", n, one, two, s.Theoretical)
		case n > MostData && two > one || n > 2*MostData-100 && two == one:
			t.Errorf("%d bytes: %v by one window, %v by two", n, one, two)
		case n > MostData && two < s.Theoretical+m.leaves(min(n-MostData, MostData)):
			t.Errorf("%d bytes: %v, before SWIF can have taken the second packet", n, two)
		}
	}
}

// TestParametersMatter: each parameter changes a result.
func TestParametersMatter(t *testing.T) {
	figures := func(m *Model) (all [5]vtime.Time) {
		for n := 8; n <= MostData; n += 8 {
			s, _ := m.Send(n)
			r, _ := m.Receive(dimmnet2.InPW, n)
			stream, _ := m.Stream(3*n, 2)
			for i, v := range [5]vtime.Time{s.Theoretical, s.Measured, r.Theoretical, r.Measured, stream} {
				all[i] += v
			}
		}
		return all
	}
	was := figures(model(t))
	for _, p := range Parameters().All() {
		p.Value *= 0.5
		if figures(model(t, p.Name+"="+p.Text())) == was {
			t.Errorf("%s changes nothing", p.Name)
		}
	}
}
