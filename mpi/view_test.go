package mpi_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"rhinet/mpi"
)

// column returns column j of a matrix of n columns.
func column[T any](m []T, j, n int) []mpi.Item {
	return mpi.View(m[min(j, len(m)):], mpi.Vector(len(m)/n, 1, n))
}

// numbered returns n numbers from from on.
func numbered(n, from int) []float64 {
	m := make([]float64, n)
	for i := range m {
		m[i] = float64(from + i)
	}
	return m
}

// MPI 4.1, section 3.3.1 and 5.1.11: a message matches buffers with its type signature,
// wherever the elements are. All modes and sizes, short and long.
func TestALayoutMatchesWhatIsMadeOfTheSame(t *testing.T) {
	everywhere(t, 2, func(w *mpi.Comm) error {
		for _, rows := range []int{0, 1, 3, 100, 3000, 40000} {
			const n = 5
			m, row := numbered(rows*n, 1), make([]float64, rows)
			for i := range row {
				row[i] = m[i*n+2]
			}
			for k, send := range []func() error{
				func() error { return mpi.Send(w, column(m, 2, n), 1, 7) },
				func() error { return mpi.Ssend(w, column(m, 2, n), 1, 7) },
				func() error { _, err := mpi.Isend(w, column(m, 2, n), 1, 7).Wait(); return err },
				func() error { return mpi.Send(w, row, 1, 7) },
			} {
				if w.Rank() == 0 {
					if err := send(); err != nil {
						return err
					}
					continue
				}
				var st mpi.Status
				var err error
				got := make([]float64, rows)
				if k%2 == 0 {
					into := make([]float64, rows*n)
					st, err = mpi.Recv(w, column(into, 4, n), 0, 7)
					for i := range got {
						got[i] = into[i*n+4]
						into[i*n+4] = 0
					}
					if slices.Max(append(into, 0)) != 0 {
						return fmt.Errorf("something lies between the elements")
					}
					if rows > 0 {
						err = errors.Join(err, equal("count", st.Count, 1))
					}
				} else {
					st, err = mpi.Recv(w, got, 0, 7)
					err = errors.Join(err, equal("count", st.Count, rows))
				}
				if err := errors.Join(err, equalAll("received", got, row), equal("bytes", st.Bytes, int64(8*rows))); err != nil {
					return fmt.Errorf("%d rows, mode %d: %w", rows, k, err)
				}
			}
		}
		return nil
	})
}

// MPI 4.1, section 3.2.4 and 5.1.11: a shorter message fills the first elements, and
// Get_elements counts those; a longer one is ErrTruncate.
func TestShortAndLongMessagesIntoALayout(t *testing.T) {
	everywhere(t, 2, func(w *mpi.Comm) error {
		const n, rows = 3, 4
		for _, unit := range []int{1, 3000} {
			for _, sent := range []int{rows * unit, unit, 3 * unit, rows*unit + 1, 0} {
				if w.Rank() == 0 {
					if err := mpi.Send(w, numbered(sent, 1), 1, sent); err != nil {
						return err
					}
					continue
				}
				into := make([]float64, rows*unit*n)
				items := mpi.Views(into, 2, mpi.Vector(rows/2, unit, n*unit).Resized(0, 8*n*unit*rows/2))
				st, err := mpi.Recv(w, items, 0, sent)
				want := make([]float64, len(into))
				for i := range min(sent, rows*unit) {
					want[i/unit*n*unit+i%unit] = float64(1 + i)
				}
				if sent > rows*unit {
					if !errors.Is(err, mpi.ErrTruncate) {
						return fmt.Errorf("%d of %d: %v", sent, rows*unit, err)
					}
				} else if err != nil {
					return err
				} else if err := equal("elements", mpi.Elements(items, st), sent); err != nil {
					return err
				} else if count := map[int]int{0: 0, rows * unit: 2}; sent%(rows*unit) == 0 && st.Count != count[sent] || sent == unit && st.Count != mpi.Undefined {
					return fmt.Errorf("%d of %d elements are %d items", sent, rows*unit, st.Count)
				}
				if err := equalAll("received", into, want); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

// Long messages in blocks of any lengths, in any order, are moved without packing, by
// blocking and other calls, in parts, into other such blocks and slices, and into fewer
// items than were sent.
func TestLongMessagesInUnevenBlocks(t *testing.T) {
	everywhere(t, 2, func(w *mpi.Comm) error {
		for round := range 32 {
			both := rand.New(rand.NewPCG(7, uint64(round)))
			n, size, way, slice, short := 2+both.IntN(10), 2000+both.IntN(8000), both.IntN(3), both.IntN(4), both.IntN(4) == 0
			own := rand.New(rand.NewPCG(8, uint64(2*round+round%2*w.Rank()))) // every other round both have the same layout
			v, data, room := drawView(own, n, size), ints(n*size, round), n
			if short && way < 2 {
				room--
			}
			what := fmt.Sprintf("round %d: %d items of %d", round, n, size)
			if w.Rank() == 0 {
				v.set(0, data)
			}
			var err error
			switch {
			case slice == w.Rank() && w.Rank() == 0:
				err = sendInWay(w, data, n/2*size, way)
			case slice == w.Rank():
				got := make([]int64, room*size)
				if err = receiveInWay(w, got, way, room < n); err == nil {
					err = equalAll(what, got, data[:room*size])
				}
			case w.Rank() == 0:
				if err = sendInWay(w, v.items, n/2, way); err == nil {
					err = v.holds(what, data)
				}
			default:
				clear(data[room*size:])
				if err = receiveInWay(w, v.items[:room], way, room < n); err == nil {
					err = v.holds(what, data)
				}
			}
			if err != nil {
				return fmt.Errorf("%s: %w", what, err)
			}
		}
		return nil
	})
}

// sendInWay sends b to rank 1: by Send, Isend, or in two parts, the first of which has
// half elements.
func sendInWay[T any](w *mpi.Comm, b []T, half, way int) error {
	switch way {
	case 0:
		return mpi.Send(w, b, 1, 0)
	case 1:
		_, err := mpi.Isend(w, b, 1, 0).Wait()
		return err
	}
	return errors.Join(mpi.Send(w, b[:half], 1, 0), mpi.Ssend(w, b[half:], 1, 0))
}

// receiveInWay receives what sendInWay sends; truncated says that it is longer than b.
func receiveInWay[T any](w *mpi.Comm, b []T, way int, truncated bool) (err error) {
	switch way {
	case 0:
		_, err = mpi.Recv(w, b, 0, 0)
	case 1:
		_, err = mpi.Irecv(w, b, 0, 0).Wait()
	default:
		var st mpi.Status
		if st, err = mpi.Recv(w, b, 0, 0); err == nil {
			_, err = mpi.Recv(w, b[st.Count:], 0, 0)
		}
	}
	if truncated && errors.Is(err, mpi.ErrTruncate) {
		return nil
	}
	return err
}

// MPI 4.1, section 3.3.1: as with slices, elements of another type are an error at both
// sides.
func TestALayoutOfOtherElementsIsAnError(t *testing.T) {
	everywhere(t, 2, func(w *mpi.Comm) error {
		if w.Rank() == 0 {
			return is(mpi.Ssend(w, mpi.View(make([]float32, 9), mpi.Vector(3, 1, 3)), 1, 0), mpi.ErrType,
				"mpi: Ssend on world to 1 tag 0: the message holds Vector(3, 1, 3) of float32, and is received as float64; receive the type that was sent, or bytes")
		}
		_, err := mpi.Recv(w, column(make([]float64, 9), 0, 3), 0, 0)
		return is(err, mpi.ErrType,
			"mpi: Recv on world from 0 tag 0: the message holds float32, the buffer Vector(3, 1, 3) of float64; receive the type that was sent, or bytes")
	})
}

type body3d struct {
	Alive bool
	Pos   [3]float64
	ID    int32 `mpi:"-"`
	Mass  float32
}

// MPI 4.1, section 5.1.2: a struct's fields travel without padding, or only the fields
// that are chosen.
func TestFieldsTravelWithoutPadding(t *testing.T) {
	everywhere(t, 3, func(w *mpi.Comm) error {
		const n = 500
		all := mpi.Contiguous(n).Of(mpi.Fields[body3d]())
		ps := make([]body3d, n)
		if w.Rank() == 0 {
			for i := range ps {
				ps[i] = body3d{i%2 == 0, [3]float64{float64(i), 1, 2}, 7, float32(i)}
			}
		} else {
			for i := range ps {
				ps[i].ID = 9
			}
		}
		if err := mpi.Bcast(w, mpi.View(ps, all), 0); err != nil {
			return err
		}
		for i, p := range ps {
			want := body3d{i%2 == 0, [3]float64{float64(i), 1, 2}, 7, float32(i)}
			if w.Rank() > 0 {
				want.ID = 9
			}
			if p != want {
				return fmt.Errorf("body3d %d is %v, want %v", i, p, want)
			}
		}
		shape, err := mpi.ShapeOf[body3d](all)
		return errors.Join(err, equal("size", shape, mpi.Shape{Size: n * 29, Extent: n * 40, TrueExtent: n * 40}))
	})
}

// MPI 4.1, section 5.1.2: without padding a struct and its fields have the same
// signature.
func TestFieldsMatchTheirStruct(t *testing.T) {
	type pair struct {
		A int32
		B float32
	}
	everywhere(t, 2, func(w *mpi.Comm) error {
		ps := []pair{{1, 2}, {3, 4}, {5, 6}}
		if w.Rank() == 0 {
			return errors.Join(mpi.Send(w, ps, 1, 0), mpi.Send(w, mpi.Views(ps, 3, mpi.Fields[pair]("A", "B")), 1, 0))
		}
		a, b := make([]pair, 3), make([]pair, 3)
		_, err := mpi.Recv(w, mpi.Views(a, 3, mpi.Fields[pair]()), 0, 0)
		_, err2 := mpi.Recv(w, b, 0, 0)
		return errors.Join(err, err2, equalAll("as fields", a, ps), equalAll("as structs", b, ps))
	})
}

// MPI 4.1, sections 3.6, 3.7, 3.8, 3.9, 3.10: every point-to-point call accepts a
// layout.
func TestEveryCallOfAMessageTakesALayout(t *testing.T) {
	everywhere(t, 2, func(w *mpi.Comm) error {
		const n, rows = 4, 700
		me, other := w.Rank(), 1-w.Rank()
		m := numbered(n*rows, 1000*me)
		in := make([]float64, n*rows)
		check := func(call string, err error) error {
			var got, want []float64
			for i := range rows {
				got, want = append(got, in[i*n+1]), append(want, float64(1000*other+i*n))
			}
			clear(in)
			return errors.Join(err, equalAll(call, got, want))
		}
		send, recv := column(m, 0, n), column(in, 1, n)
		_, err := mpi.Sendrecv(w, send, other, 1, recv, other, 1)
		if err := check("Sendrecv", err); err != nil {
			return err
		}
		_, err = mpi.Isendrecv(w, send, other, 1, recv, other, 1).Wait()
		if err := check("Isendrecv", err); err != nil {
			return err
		}
		for k := range 2 {
			for i := range rows {
				in[i*n+1] = m[i*n]
			}
			if k == 0 {
				_, err = mpi.SendrecvReplace(w, recv, other, 1, other, 1)
			} else {
				_, err = mpi.IsendrecvReplace(w, recv, other, 1, other, 1).Wait()
			}
			if err := check("SendrecvReplace", err); err != nil {
				return err
			}
		}
		if err := w.AttachBuffer(make([]byte, 16*rows+mpi.BsendOverhead)); err != nil {
			return err
		}
		r := mpi.Irecv(w, recv, other, 2)
		if err := mpi.Bsend(w, send, other, 2); err != nil {
			return err
		}
		_, err = r.Wait()
		if err := check("Bsend", err); err != nil {
			return err
		}
		if _, err := w.DetachBuffer(); err != nil {
			return err
		}
		out, err := mpi.SendInit(w, send, other, 3)
		if err != nil {
			return err
		}
		back, err := mpi.RecvInit(w, recv, other, 3)
		if err != nil {
			return err
		}
		for range 3 {
			err := errors.Join(mpi.StartAll(back, out), mpi.WaitAll(back, out))
			if err := check("SendInit", err); err != nil {
				return err
			}
		}
		s := mpi.Isend(w, send, other, 4)
		msg, st, err := mpi.Mprobe(w, other, 4)
		if err != nil {
			return err
		}
		if err := equal("probed", mpi.Count[float64](st), rows); err != nil {
			return err
		}
		_, err = mpi.Mrecv(msg, recv)
		if err := check("Mrecv", errors.Join(err, mpi.WaitAll(s))); err != nil {
			return err
		}
		_, err = mpi.Recv(w, recv, mpi.ProcNull, 0)
		return err
	})
}

// MPI 4.1, section 3.5: a message from a rank to itself, from one layout into another.
func TestAMessageToItselfInLayouts(t *testing.T) {
	everywhere(t, 1, func(w *mpi.Comm) error {
		for _, rows := range []int{2, 90, 20000} {
			m, in := numbered(3*rows, 0), make([]float64, 2*rows)
			for k := range 2 {
				clear(in)
				send := func() *mpi.Request { return mpi.Isend(w, column(m, 1, 3), 0, 0) }
				recv := func() *mpi.Request { return mpi.Irecv(w, column(in, 1, 2), 0, 0) }
				a, b := send, recv
				if k == 1 {
					a, b = recv, send
				}
				if err := mpi.WaitAll(a(), b()); err != nil {
					return err
				}
				for i := range rows {
					if in[2*i] != 0 || in[2*i+1] != m[3*i+1] {
						return fmt.Errorf("row %d: %v", i, in[2*i:2*i+2])
					}
				}
			}
		}
		return nil
	})
}

// An invalid layout is an error of the call that uses it, whichever call that is.
func TestLayoutsThatCannotBeAreErrors(t *testing.T) {
	type padded struct {
		A int8
		B int64
	}
	m, ps := make([]float64, 12), make([]padded, 3)
	everywhere(t, 1, func(w *mpi.Comm) error {
		for want, buf := range map[string][]mpi.Item{
			"Vector(-1, 1, 4): -1 blocks; give 0 or more": mpi.View(m, mpi.Vector(-1, 1, 4)),
			"Vector(4, 1, 4) reaches from byte 0 to byte 103 of a slice of 96 (12 elements of 8); use a longer slice or a smaller layout":                                                               mpi.View(m, mpi.Vector(4, 1, 4)),
			"Vector(2, 1, -1) reaches from byte -8 to byte 7 of a slice of 96 (12 elements of 8); begin the slice earlier, and put the layout at its place in it: Struct(Member{At: bytes, Layout: l})": mpi.View(m, mpi.Vector(2, 1, -1)),
			"Fields[mpi_test.padded](C): mpi_test.padded has no field C of its own; its fields are A, B":                                                                                                mpi.View(ps, mpi.Fields[padded]("C")),
			"-1 items; give 0 or more":                                                                            mpi.Views(m, -1, mpi.Contiguous(1)),
			"9223372036854775807 items are too many; use 268435456 or fewer":                                      mpi.Views(m, math.MaxInt, mpi.Contiguous(0)),
			"1152921504606846976 items of Contiguous(1): it reaches beyond 2^48 bytes; use smaller numbers":       mpi.Views(m, 1<<60, mpi.Contiguous(1)),
			"an element of type *int holds pointers (ptr); use numbers, bool, or arrays and flat structs of them": mpi.View(make([]*int, 3), mpi.Contiguous(1)),
			"an element of type struct {} has no size; use numbers, bool, or arrays and flat structs of them":     mpi.View(make([]struct{}, 3), mpi.Contiguous(1)),
			"item 1 does not follow the one before it; use a part of what one call of Views has returned":         append(mpi.View(m, mpi.Contiguous(1)), mpi.View(m, mpi.Contiguous(1))...),
			"an item is the zero Item; make items with View or Views":                                             make([]mpi.Item, 1),
		} {
			err := mpi.Send(w, buf, 0, 0)
			if err := is(err, mpi.ErrLayout, "mpi: Send on world to 0 tag 0: "+want); err != nil {
				return err
			}
			if err := mpi.Bcast(w, buf, 0); !errors.Is(err, mpi.ErrLayout) {
				return err
			}
			for _, begin := range []func(*mpi.Comm, []mpi.Item, int, int) (*mpi.Request, error){
				mpi.SendInit[mpi.Item], mpi.SsendInit[mpi.Item], mpi.RsendInit[mpi.Item], mpi.BsendInit[mpi.Item], mpi.RecvInit[mpi.Item],
			} {
				if _, err := begin(w, buf, 0, 0); !errors.Is(err, mpi.ErrLayout) || !strings.HasSuffix(err.Error(), want) {
					return fmt.Errorf("a persistent request: %v, want %s", err, want)
				}
			}
		}
		down := mpi.Struct(mpi.Member{At: 8, Layout: mpi.Vector(2, 1, -1)})
		if err := mpi.Bcast(w, mpi.View(m, down), 0); err != nil {
			return err
		}
		joint := mpi.View(m, mpi.Vector(3, 2, 1))
		if _, err := mpi.Recv(w, joint, 0, 0); !errors.Is(err, mpi.ErrLayout) || !strings.Contains(err.Error(), "some bytes of Vector(3, 2, 1) of float64 belong to two elements, so it can be sent and not received") {
			return fmt.Errorf("overlapping: %v", err)
		}
		if _, err := mpi.RecvInit(w, joint, 0, 0); !errors.Is(err, mpi.ErrLayout) {
			return fmt.Errorf("overlapping, persistent: %v", err)
		}
		r := mpi.Isend(w, joint, 0, 0)
		six := make([]float64, 6)
		if _, err := mpi.Recv(w, six, 0, 0); err != nil {
			return err
		}
		if err := mpi.WaitAll(r); err != nil {
			return err
		}
		one := mpi.View(m, mpi.Contiguous(1))
		if err := mpi.Reduce(w, one, one, mpi.Sum, 0); !errors.Is(err, mpi.ErrOp) {
			return fmt.Errorf("reduction: %v", err)
		}
		_, err := mpi.ShapeOf[float64](mpi.Vector(1, 1, 1).Of(mpi.Contiguous(-1)))
		return is(err, mpi.ErrLayout, "mpi: ShapeOf: Contiguous(-1): -1 elements; give 0 or more")
	})
}
