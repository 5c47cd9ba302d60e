//go:build peers

package mpi_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"rhinet/internal/libmpi/libmpitest"
	"rhinet/mpi"
)

// Programs that run on the library of another MPI, started by its launcher.
func init() {
	programs["library"] = func(w *mpi.Comm) error {
		for _, part := range []func(*mpi.Comm) error{libraryMessages, libraryRequests, libraryAllocations, libraryCollectives, libraryCommunicators, libraryRefusals} {
			if err := part(w); err != nil {
				return err
			}
		}
		name, cost := w.Library()
		if name == "" || !(cost > 0 && cost < 1e-3) {
			return fmt.Errorf("library %q, a call costs %g s", name, cost)
		}
		fmt.Println(w.Rank(), w.Size(), strings.Fields(name)[0])
		return nil
	}
}

// fileVariable names a file by which ranks communicate without MPI.
const fileVariable = "MPI_TEST_FILE"

// Of two goroutines that call at once the second gets an error, and the first
// continues.
func init() {
	programs["goroutines"] = func(w *mpi.Comm) error {
		file := os.Getenv(fileVariable)
		switch w.Rank() {
		case 1:
			for range 10000 { // until rank 0 has seen the error
				if _, err := os.Stat(file); err == nil {
					break
				}
				time.Sleep(time.Millisecond)
			}
			return mpi.Send(w, []int{7}, 0, 0)
		case 0:
			done, v := make(chan error), []int{0}
			go func() {
				_, err := mpi.Recv(w, v, 1, 0)
				for ; err != nil && strings.Contains(err.Error(), "call from one at a time"); _, err = mpi.Recv(w, v, 1, 0) {
				}
				done <- err
			}()
			var refused error
			for refused == nil {
				_, _, refused = mpi.Iprobe(w, 2, 0)
			}
			if !strings.Contains(refused.Error(), "two goroutines call MPI at once") {
				return refused
			}
			err := errors.Join(os.WriteFile(file, nil, 0o600), <-done, same("message", v[0], 7))
			fmt.Println("refused")
			return err
		}
		return nil
	}
}

// same compares what was got with what is wanted.
func same(what string, got, want any) error {
	if !reflect.DeepEqual(got, want) {
		return fmt.Errorf("%s: got %v, want %v", what, got, want)
	}
	return nil
}

// libraryMessages: modes, wildcards, probes, self, order, and messages too long.
func libraryMessages(w *mpi.Comm) error {
	r, n := w.Rank(), w.Size()
	next, before := (r+1)%n, (r+n-1)%n
	got := make([]int32, 3)
	st, err := mpi.Sendrecv(w, []int32{int32(r), 7}, next, 5, got, before, mpi.AnyTag)
	if err := errors.Join(err, same("Sendrecv", st, mpi.Status{Source: before, Tag: 5, Count: 2, Bytes: 8}), same("Sendrecv", got, []int32{int32(before), 7, 0})); err != nil {
		return err
	}
	if r > 0 {
		return errors.Join(mpi.Send(w, []float64{float64(r)}, 0, r), mpi.Ssend(w, []float64{float64(-r)}, 0, 100+r), mpi.Send(w, []float64{1, 2, 3}, 0, 99))
	}
	for i := 1; i < n; i++ {
		v := []float64{0}
		st, err := mpi.Recv(w, v, mpi.AnySource, i)
		if err := errors.Join(err, same("Recv", st.Source, i), same("Recv", v[0], float64(i))); err != nil {
			return err
		}
		st, err = mpi.Probe(w, i, mpi.AnyTag)
		if err := errors.Join(err, same("Probe", st, mpi.Status{Source: i, Tag: 100 + i, Count: 8, Bytes: 8})); err != nil {
			return err
		}
		_, there, err := mpi.Iprobe(w, i, 1234)
		if err := errors.Join(err, same("Iprobe", there, false)); err != nil {
			return err
		}
		if _, err = mpi.Recv(w, v, i, 100+i); err != nil || v[0] != float64(-i) {
			return fmt.Errorf("after a probe: %v, %v", v, err)
		}
		if _, err := mpi.Recv(w, v, i, 99); !errors.Is(err, mpi.ErrTruncate) {
			return fmt.Errorf("three numbers in the place of one: %v", err)
		}
	}
	return nil
}

// libraryRequests: transfers in progress, completed by all calls.
func libraryRequests(w *mpi.Comm) error {
	const many = 150 // more than are passed to the library at once
	r, n := w.Rank(), w.Size()
	next, before := (r+1)%n, (r+n-1)%n
	in, reqs := make([]int64, many), []*mpi.Request{nil}
	for i := range in {
		reqs = append(reqs, mpi.Irecv(w, in[i:i+1], before, i))
	}
	for i := range in {
		reqs = append(reqs, mpi.Isend(w, []int64{int64(1000*r + i)}, next, i))
	}
	if err := mpi.WaitAll(reqs...); err != nil {
		return err
	}
	for i, v := range in {
		if v != int64(1000*before+i) {
			return fmt.Errorf("message %d is %d", i, v)
		}
	}
	if err := mpi.WaitAll(reqs...); err != nil { // inactive
		return err
	}
	reqs = reqs[:0]
	for i := range in {
		reqs = append(reqs, mpi.Irecv(w, in[i:i+1], before, i))
	}
	send := mpi.Issend(w, []int64{42}, next, many-1)
	i, st, err := mpi.WaitAny(reqs...)
	if err := errors.Join(err, same("WaitAny", i, many-1), same("WaitAny", st.Source, before), same("WaitAny", in[i], int64(42))); err != nil {
		return err
	}
	if _, err := send.Wait(); err != nil {
		return err
	}
	if _, done, err := reqs[0].Test(); done || err != nil {
		return fmt.Errorf("a receive without message: %v, %v", done, err)
	}
	if err := mpi.Barrier(w); err != nil {
		return err
	}
	for i := range many - 1 {
		if err := mpi.Send(w, []int64{int64(i)}, next, i); err != nil {
			return err
		}
	}
	for done := false; !done; {
		if _, done, err = reqs[0].Test(); err != nil {
			return err
		}
	}
	for open := many - 2; open > 0; open-- {
		if i, _, err := mpi.WaitAny(reqs[:many-1]...); err != nil || in[i] != int64(i) {
			return fmt.Errorf("request %d: %v, %v", i, in[i], err)
		}
	}
	return nil
}

// libraryAllocations: calls allocate nothing, after the first ones.
func libraryAllocations(w *mpi.Comm) error {
	r, in, out, sum := w.Rank(), []float64{0}, []float64{1}, []float64{0}
	var failed error
	var a, b mpi.Request
	n := testing.AllocsPerRun(50, func() {
		a, b = *mpi.Irecv(w, in, r, 1), *mpi.Isend(w, out, r, 1)
		_, _, e := b.Test()
		failed = errors.Join(failed, mpi.WaitAll(&a, &b), e, mpi.Allreduce(w, out, sum, mpi.Sum), mpi.Barrier(w), mpi.Send(w, out, (r+1)%w.Size(), 2))
		_, e = mpi.Recv(w, in, (r+w.Size()-1)%w.Size(), 2)
		failed = errors.Join(failed, e)
	})
	return errors.Join(failed, same("allocations", n, 0.0))
}

// libraryCollectives: collective calls that are passed on, also in place.
func libraryCollectives(w *mpi.Comm) error {
	r, n := w.Rank(), w.Size()
	fill := func(k int, f func(i int) int32) []int32 {
		s := make([]int32, k)
		for i := range s {
			s[i] = f(i)
		}
		return s
	}
	mine := []int32{int32(r), int32(10 * r)}
	both := fill(2*n, func(i int) int32 { return int32([]int{i / 2, i / 2 * 10}[i%2]) })
	root := n - 1
	at := func(v []int32) []int32 { // at root only
		if r == root {
			return v
		}
		return make([]int32, len(v))
	}
	out := make([]int32, 2*n)
	err := errors.Join(mpi.Barrier(w), mpi.Gather(w, mine, out, root), same("Gather", out, at(both)))
	clear(out)
	if r == root {
		copy(out[2*r:], mine)
		err = errors.Join(err, mpi.Gather(w, out, out, root), same("Gather in place", out, both))
	} else {
		err = errors.Join(err, mpi.Gather(w, mine, nil, root))
	}
	part := make([]int32, 2)
	err = errors.Join(err, mpi.Scatter(w, at(both), part, root), same("Scatter", part, mine))
	err = errors.Join(err, mpi.Allgather(w, mine, out), same("Allgather", out, both))
	buf := fill(3, func(i int) int32 { return int32(r*10 + i) })
	err = errors.Join(err, mpi.Bcast(w, buf, root), same("Bcast", buf, fill(3, func(i int) int32 { return int32(root*10 + i) })))
	all, to := make([]int32, n), fill(n, func(i int) int32 { return int32(100*r + i) })
	from := fill(n, func(i int) int32 { return int32(100*i + r) })
	err = errors.Join(err, mpi.Alltoall(w, to, all), same("Alltoall", all, from), mpi.Alltoall(w, to, to), same("Alltoall in place", to, from))
	return errors.Join(err, libraryParts(w), libraryReductions(w))
}

// libraryParts: Alltoallv with i+j elements from rank i to rank j, in reverse order and
// one after the other.
func libraryParts(w *mpi.Comm) error {
	r, n := w.Rank(), w.Size()
	counts, displs, total := make([]int, n), make([]int, n), 0
	for i := range n {
		counts[i] = r + i
		total += r + i
	}
	for i, at := 0, total; i < n; i++ {
		at -= counts[i]
		displs[i] = at
	}
	send, recv, want := make([]int64, total), make([]int64, total), []int64(nil)
	for i := range n {
		for k := range counts[i] {
			send[displs[i]+k] = int64(1000*r + 10*i + k)
			want = append(want, int64(1000*i+10*r+k))
		}
	}
	return errors.Join(mpi.Alltoallv(w, send, counts, displs, recv, counts, nil), same("Alltoallv", recv, want))
}

func libraryReductions(w *mpi.Comm) error {
	r, n := w.Rank(), w.Size()
	sum, prod := n*(n-1)/2, 1
	for i := range n {
		prod *= i + 1
	}
	one := func(v []float64, op mpi.Op, want float64) error {
		out := []float64{0, 0}
		err := errors.Join(mpi.Allreduce(w, v, out, op), same(fmt.Sprint("Allreduce by ", op), out, []float64{want, want}))
		return errors.Join(err, mpi.Allreduce(w, v, v, op), same("Allreduce in place", v, out))
	}
	f := func(x int) []float64 { return []float64{float64(x), float64(x)} }
	err := errors.Join(one(f(r), mpi.Sum, float64(sum)), one(f(r+1), mpi.Prod, float64(prod)), one(f(r), mpi.Min, 0), one(f(r), mpi.Max, float64(n-1)))
	err = errors.Join(err, numbers[int8](w), numbers[int16](w), numbers[int32](w), numbers[int64](w), numbers[int](w), numbers[uint8](w),
		numbers[uint16](w), numbers[uint32](w), numbers[uint64](w), numbers[float32](w), numbers[complex64](w), numbers[complex128](w))
	bits, some := []uint16{0}, []bool{false}
	for _, o := range []struct {
		op   mpi.Op
		want uint16
	}{{mpi.BAnd, 8}, {mpi.BOr, 8 | (1<<n - 1)}, {mpi.BXor, uint16(8*(n%2)) ^ (1<<n - 1)}, {mpi.LAnd, 1}, {mpi.LOr, 1}, {mpi.LXor, uint16(n % 2)}} {
		err = errors.Join(err, mpi.Allreduce(w, []uint16{uint16(8 ^ 1<<r)}, bits, o.op), same(o.op.String(), bits[0], o.want))
	}
	err = errors.Join(err, mpi.Allreduce(w, []bool{r == 0}, some, mpi.LOr), same("of bool", some[0], true))
	root, total := n-1, []int64{-1}
	err = errors.Join(err, mpi.Reduce(w, []int64{int64(r)}, total, mpi.Sum, root))
	if r == root {
		err = errors.Join(err, same("Reduce", total[0], int64(sum)))
		total[0] = int64(r)
		err = errors.Join(err, mpi.Reduce(w, total, total, mpi.Sum, root), same("Reduce in place", total[0], int64(sum)))
	} else {
		err = errors.Join(err, same("Reduce elsewhere", total[0], int64(-1)), mpi.Reduce(w, []int64{int64(r)}, nil, mpi.Sum, root))
	}
	up := []int32{0}
	return errors.Join(err, mpi.Scan(w, []int32{int32(r)}, up, mpi.Sum), same("Scan", up[0], int32(r*(r+1)/2)))
}

// numbers adds up ones of a type.
func numbers[T int8 | int16 | int32 | int64 | int | uint8 | uint16 | uint32 | uint64 | float32 | complex64 | complex128](w *mpi.Comm) error {
	out, want := []T{0}, T(0)
	for range w.Size() {
		want++
	}
	return errors.Join(mpi.Allreduce(w, []T{1}, out, mpi.Sum), same(fmt.Sprintf("sum of %T", want), out[0], want))
}

// libraryCommunicators: ranks, sources, tags and collective calls of communicators made
// from others.
func libraryCommunicators(w *mpi.Comm) error {
	r, n := w.Rank(), w.Size()
	back, err := w.Split(0, -r) // all, in reverse order
	if err != nil {
		return err
	}
	if err := same("rank", back.Rank(), n-1-r); err != nil {
		return err
	}
	v := []int{r}
	if err := errors.Join(mpi.Bcast(back, v, 0), same("Bcast of the last", v[0], n-1)); err != nil {
		return err
	}
	dup, err := w.Dup()
	if err != nil {
		return err
	}
	// Messages with equal tags on three communicators of the same ranks do not match
	// each other's receives.
	next, before := (r+1)%n, (r+n-1)%n
	for i, c := range []*mpi.Comm{w, dup} {
		if err := mpi.Send(c, []int{i}, next, 3); err != nil {
			return err
		}
	}
	if err := mpi.Send(back, []int{2}, (back.Rank()+1)%n, 3); err != nil {
		return err
	}
	for i, c := range []*mpi.Comm{back, dup, w} {
		st, err := mpi.Recv(c, v, mpi.AnySource, mpi.AnyTag)
		from := before
		if c == back {
			from = (back.Rank() + n - 1) % n
		}
		if err := errors.Join(err, same("source", st.Source, from), same("message", v[0], 2-i)); err != nil {
			return err
		}
	}
	mine, err := w.Split(r%2, 0)
	if err != nil {
		return err
	}
	if err := errors.Join(mpi.Allreduce(mine, []int{1}, v, mpi.Sum), same("Allreduce of some", v[0], (n+1-r%2)/2)); err != nil {
		return err
	}
	none, err := w.Split(mpi.Undefined, 0)
	if none != nil {
		err = errors.Join(err, errors.New("a communicator of no color"))
	}
	return errors.Join(err, mine.Free(), dup.Free(), back.Free())
}

// libraryRefusals: a call that the library does not carry returns an error that says
// so, and later calls work.
func libraryRefusals(w *mpi.Comm) error {
	const way = "run the program on a network interface of rhinet"
	user := mpi.OpFunc(func(in, inout []int) {}, mpi.Commutative)
	_, noWindow := mpi.WinAllocate[int](w, 1)
	_, _, noProbe := mpi.Mprobe(w, 0, 0)
	_, _, _, noLook := mpi.Improbe(w, 0, 0)
	_, later := mpi.Ibarrier(w).Wait()
	_, again := mpi.BarrierInit(w)
	for name, c := range map[string]struct {
		err   error
		class mpi.Class
		text  string
	}{
		"window":    {noWindow, mpi.ErrUnsupported, way},
		"Mprobe":    {noProbe, mpi.ErrUnsupported, way},
		"Improbe":   {noLook, mpi.ErrUnsupported, way},
		"Ibarrier":  {later, mpi.ErrUnsupported, way},
		"Init":      {again, mpi.ErrUnsupported, way},
		"user's":    {mpi.Allreduce(w, []int{1}, []int{0}, user), mpi.ErrOp, "by Sum, Prod, Min, Max"},
		"MinLoc":    {mpi.Allreduce(w, make([]mpi.ValLoc[int], 1), make([]mpi.ValLoc[int], 1), mpi.MinLoc), mpi.ErrOp, "by Sum, Prod, Min, Max"},
		"Exscan":    {mpi.Exscan(w, []int{1}, []int{0}, mpi.Sum), mpi.ErrUnsupported, way},
		"wrong tag": {tagTooLarge(w), mpi.ErrTag, "tags "},
	} {
		var e *mpi.Error
		if !errors.Is(c.err, c.class) || !errors.As(c.err, &e) || !strings.Contains(c.err.Error(), c.text) {
			return fmt.Errorf("%s: %v", name, c.err)
		}
	}
	return mpi.Barrier(w)
}

// tagTooLarge sends a message whose tag the library does not accept. A library that
// accepts all tags gets one that package mpi does not accept.
func tagTooLarge(w *mpi.Comm) error {
	name, _ := w.Library()
	if strings.HasPrefix(name, "Open MPI") {
		return mpi.Send(w, []int{1}, w.Rank(), mpi.MaxTag+1)
	}
	return mpi.Send(w, []int{1}, w.Rank(), mpi.MaxTag)
}

// On both libraries programs get what package mpi promises, as far as it goes, and end
// as elsewhere.
func TestLibraries(t *testing.T) {
	for _, m := range libmpitest.All {
		t.Run(m.Name, func(t *testing.T) {
			shim := m.Shim(t)
			first := strings.Fields(m.Name)[0]
			for _, tc := range []foreignJob{
				{"library", "", 0, []string{"0 3 " + first, "1 3 " + first, "2 3 " + first}},
				{"good", "", 0, []string{"0 3 9", "1 3 9", "2 3 9"}},
				{"aborts", "", 7, nil},
				{"fails", "", 1, []string{": no input file"}},
				{"after", "", 1, []string{"Init can be called only once"}},
				{"goroutines", fileVariable + "=" + filepath.Join(t.TempDir(), "file"), 0, []string{"refused"}},
			} {
				tc.run(t, m.Command(t, shim, 3, os.Args[0]))
			}
		})
	}
}

// Every kernel is verified on the libraries, on several numbers of ranks.
func TestKernelsOnLibraries(t *testing.T) {
	if testing.Short() {
		return // a program would be built
	}
	npb := buildKernels(t, "peers")
	names := []string{"ep", "cg", "mg", "ft", "is", "lu", "sp", "bt"}
	for _, m := range libmpitest.All {
		t.Run(m.Name, func(t *testing.T) {
			shim := m.Shim(t)
			for _, ranks := range []int{1, 2, 4} {
				run := slices.Clone(names)
				if ranks == 2 {
					run = run[:6] // sp and bt need a square number
				}
				verified(t, m.Command(t, shim, ranks, append([]string{npb, "-class", "S"}, run...)...), len(run))
			}
			verified(t, m.Command(t, shim, 2, npb, "-class", "S", "-variant", "alltoallv", "is"), 1)
			verified(t, m.Command(t, shim, 4, npb, "-class", "S", "-grid", "2x2", "ft"), 1) // on parts of the world
		})
	}
}

// A shim that cannot be used gives one sentence that says what to do.
func TestShimsThatCannotBe(t *testing.T) {
	dir := t.TempDir()
	text := filepath.Join(dir, "text.so")
	if err := os.WriteFile(text, []byte("no library"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ env, want string }{
		{"RHINET_LIBMPI=" + dir + "/none.so", "no such file or directory; compile internal/libmpi/c/shim.c"},
		{"RHINET_LIBMPI=" + text, "cannot be loaded: "},
		{"RHINET_LIBMPI=libc.so.6", "no such file"},
		{"RHINET_LIBMPI=x\x00RHINET_JOB=y", "start the program with the launcher of that library, or unset the variable"},
	} {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(append(os.Environ(), programVariable+"=good"), strings.Split(c.env, "\x00")...)
		out, err := cmd.CombinedOutput()
		if err == nil || !strings.HasPrefix(string(out), "mpi: Init: ") || strings.Count(string(out), "\n") != 1 || !strings.Contains(string(out), c.want) {
			t.Errorf("%q: %v, %q", c.env, err, out)
		}
	}
}
