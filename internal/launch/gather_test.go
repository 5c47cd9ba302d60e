package launch

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"
	"time"

	"rhinet/internal/observe"
	"rhinet/internal/pmi"
)

// Times of a host are counted from the beginning of the job, based on the message with the shortest delay;
// once some times have been passed on, all later ones are corrected in the same way.
func TestTimesOfHosts(t *testing.T) {
	var got []*Parcel
	l := &coordinator{plan: &Plan{job: &Job{Take: func(p *Parcel) { got = append(got, p) }}}, begin: time.Now().Add(-time.Minute)}
	h := &host{ranks: []int{2, 3}}
	const ahead = time.Hour
	h.hear(time.Now().Add(ahead - time.Minute)) // a minute in transit
	h.hear(time.Now().Add(ahead))
	h.hear(time.Now().Add(ahead - time.Second))
	wall := func() observe.Clock { return observe.Clock{Wall: l.begin.Add(ahead + 5*time.Second).UnixNano()} }
	for _, r := range []int{2, 3, 1, 4, -1} {
		l.gathered(h, &Parcel{Rank: r, Clock: wall(), Now: time.Now().Add(ahead - 2*time.Minute)})
		h.hear(time.Now().Add(2 * ahead)) // too late to count
	}
	if len(got) != 2 || got[0].Rank != 2 || got[1].Rank != 3 || got[0].Clock != got[1].Clock {
		t.Fatalf("%+v", got)
	}
	if at := time.Duration(got[0].Clock.Wall); at < 5*time.Second || at > 65*time.Second {
		t.Errorf("5 s after the job began has become %v", at)
	}
	h.Name = "b"
	l.gathered(h, &Parcel{Rank: 2, Lost: "gone"})
	if got[2].Lost != "rank 2 on host b: gone" || !h.set {
		t.Errorf("%+v", got[2])
	}
	l.plan.job.Take = nil
	l.gathered(h, &Parcel{Rank: 2}) // which was not requested
}

// The data of ranks arrives complete, and ranks without data send nothing.
func TestGatheringOfAHost(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("processes share no memory here")
	}
	t.Setenv("TMPDIR", t.TempDir())
	job := &Job{MaxRanks: 4, Env: []string{"A=1"}}
	var g gatherer
	if err := g.prepare(Gathering{Observe: true, Profile: pmi.ProfileHeap}, job); err != nil {
		t.Fatal(err)
	}
	if p, err := pmi.DecodeProfile(job.Env[1][len(pmi.ProfileVariable)+1:]); err != nil || p.Dir != g.dir || job.Observe == nil {
		t.Errorf("%q, %v", job.Env, err)
	}
	profile := bytes.Repeat([]byte("profile "), parcelBytes/6)
	if err := os.WriteFile(filepath.Join(g.dir, pmi.ProfileName(3)), profile, 0o600); err != nil {
		t.Fatal(err)
	}
	var come []byte
	observed := map[int]int{}
	take := func(p *Parcel) error {
		if !p.Profile {
			observed[p.Rank]++
		} else if p.Rank != 3 || p.At != int64(len(come)) {
			t.Errorf("rank %d, byte %d", p.Rank, p.At)
		} else {
			come = append(come, p.Data...)
		}
		return nil
	}
	if err := g.send([]int{1, 3}, take); err != nil || !bytes.Equal(come, profile) || len(observed) != 2 || observed[1] != 1 {
		t.Errorf("%v, %d bytes, %v", err, len(come), observed)
	}
	cut := errors.New("cut")
	if err := g.send([]int{1}, func(*Parcel) error { return cut }); !errors.Is(err, cut) {
		t.Error(err)
	}
	g.close()
	if _, err := os.Stat(g.dir); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
	if err := new(gatherer).send([]int{0}, nil); err != nil {
		t.Error(err)
	}
}

// If something cannot be read, its parcel contains the reason, and the other ranks are not affected.
func TestGatheringOfWhatCannotBeRead(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("processes share no memory here")
	}
	t.Setenv("TMPDIR", t.TempDir())
	var g gatherer
	if err := g.prepare(Gathering{Observe: true, Profile: pmi.ProfileHeap}, &Job{MaxRanks: 2}); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(os.Mkdir(filepath.Join(g.dir, pmi.ProfileName(0)), 0o700), g.file.Close()); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(g.dir, pmi.ProfileName(1)), []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	var got []string
	err := g.send([]int{0, 1}, func(p *Parcel) error {
		got = append(got, fmt.Sprint(p.Rank, p.Profile, p.Lost != "", len(p.Data)))
		return nil
	})
	if want := []string{"0 false true 0", "0 true true 0", "1 false true 0", "1 true false 1"}; err != nil || !slices.Equal(got, want) {
		t.Errorf("%v, %q; want %q", err, got, want)
	}
	cut := errors.New("cut")
	if err := g.send([]int{0, 1}, func(*Parcel) error { return cut }); !errors.Is(err, cut) {
		t.Error(err)
	}
	g.close()
}

// If files cannot be created on a host, the host reports that.
func TestNoPlaceForProfiles(t *testing.T) {
	t.Setenv("TMPDIR", filepath.Join(t.TempDir(), "none"))
	if err := new(gatherer).prepare(Gathering{Profile: pmi.ProfileCPU}, new(Job)); err == nil {
		t.Error("a profile has a place that there is not")
	}
}
