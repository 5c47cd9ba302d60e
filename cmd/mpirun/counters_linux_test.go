package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"

	"rhinet/internal/launch"
	"rhinet/internal/observe"
	"rhinet/mpi"
)

// counts compares the counters of a communicator with what was done on it.
func counts(world *mpi.Comm, right, left int) error {
	c, err := world.Dup()
	if err != nil {
		return err
	}
	in := make([]byte, 10)
	for range 5 {
		if _, err := mpi.Sendrecv(c, make([]byte, 10), right, 0, in, left, 0); err != nil {
			return err
		}
	}
	if err := mpi.Send(c, in[:3], right, 1); err != nil {
		return err
	}
	for err == nil { // until the message has arrived, without a receive
		var there bool
		if _, there, err = mpi.Iprobe(c, left, 1); there {
			break
		}
	}
	if _, err := mpi.Recv(c, in, left, 1); err != nil {
		return err
	}
	reqs := []*mpi.Request{mpi.Irecv(c, in, left, 2), mpi.Isend(c, in[:1], right, 2)}
	if err := mpi.WaitAll(reqs...); err != nil {
		return err
	}
	k, err := c.Counters()
	if err != nil {
		return err
	}
	if k.Sent != 7 || k.SentBytes != 54 || k.Received != 7 || k.ReceivedBytes != 54 || k.Unexpected < 1 || k.Unexpected > 7 {
		return fmt.Errorf("the counters are %+v", k)
	}
	if os.Getenv(metricsAddress) != "" {
		if world.Rank() == 0 {
			return scrape(os.Getenv(metricsAddress))
		}
	}
	return nil
}

// names makes communicators and windows, and names one of each.
func names(world *mpi.Comm) error {
	row, err := world.Split(world.Rank()%2, 0)
	if err != nil {
		return err
	}
	named, err := row.Dup()
	if err != nil {
		return err
	}
	if err := named.SetName("pressure solver"); err != nil {
		return err
	}
	w, err := mpi.WinAllocate[int](row, 1)
	if err != nil {
		return err
	}
	if err := w.SetName("halo of " + named.Name()); err != nil {
		return err
	}
	return errors.Join(w.Free(), named.Free(), row.Free())
}

// Statistics call communicators and windows as the program does.
func TestNamesInStats(t *testing.T) {
	s := observed(t, 0, "names")
	for rank, r := range s.Ranks {
		var got []string
		for _, c := range r.Comms {
			got = append(got, c.Comm)
		}
		want := []string{"world", fmt.Sprintf("world.split1(color %d)", rank%2), "pressure solver", "halo of pressure solver"}
		if !slices.Equal(got, want) {
			t.Errorf("rank %d: %q, want %q", rank, got, want)
		}
	}
}

// metricsAddress is the variable with the address of the metrics of a rank's own job.
const metricsAddress = "RHINET_TEST_METRICS"

// scrape reads the metrics of the job as other programs do.
func scrape(address string) error {
	get := func(path string) (string, error) {
		r, err := http.Get("http://" + address + path)
		if err != nil {
			return "", err
		}
		defer r.Body.Close()
		b, err := io.ReadAll(r.Body)
		return string(b), err
	}
	text, err := get("/metrics")
	if want := `rhinet_calls_total{rank="0",call="Sendrecv"} 55`; err != nil || !strings.Contains(text, want+"\n") || !strings.Contains(text, "# TYPE rhinet_messages_total counter\n") {
		return fmt.Errorf("%v, no %s in %s", err, want, text)
	}
	if want := `rhinet_comm_message_bytes_total{rank="0",comm="world.dup1",number="1",direction="sent"} 54`; !strings.Contains(text, want+"\n") {
		return fmt.Errorf("no %s in %s", want, text)
	}
	text, err = get("/debug/vars")
	var all struct{ Rhinet observe.Stats }
	if err == nil {
		err = json.Unmarshal([]byte(text), &all)
	}
	if err != nil || len(all.Rhinet.Ranks) != 2 || callOf(&all.Rhinet, 0, "Sendrecv").Count != 55 || all.Rhinet.Ranks[0].State != "running" {
		return fmt.Errorf("%v in %s", err, text)
	}
	return nil
}

// A rank can read its counters; from mpirun those of all ranks can be read while the job runs.
func TestCountersAndMetrics(t *testing.T) {
	free, err := net.Listen("tcp", "localhost:0")
	if err != nil {
		t.Fatal(err)
	}
	address := free.Addr().String()
	if status, _, text := mpirun(t, "--metrics", address, "true"); status != launch.StatusFailed || !strings.Contains(text, "--metrics: listen tcp "+address) {
		t.Errorf("status %d, %s", status, text)
	}
	free.Close()
	status, _, text := mpirun(t, "-n", "2", "--metrics", address, "-x", metricsAddress+"="+address, "-x", playRank+"=observed counts", os.Args[0])
	if status != 0 || text != "mpirun: metrics at http://"+address+"/metrics and /debug/vars\n" {
		t.Errorf("status %d, %s", status, text)
	}
	status, _, text = mpirun(t, "-n", "2", "-x", playRank+"=observed counts", os.Args[0])
	if want := "mpi: Counters on world.dup1: messages are counted only in a job that is observed; start it with mpirun --stats, --trace or --metrics\n"; status != 1 || !strings.Contains(text, want) {
		t.Errorf("status %d, %s", status, text)
	}
	for _, v := range []string{"", "9100", "x", "a:b:c", "localhost:"} {
		status, _, text := mpirun(t, "--metrics", v, "true")
		if want := "mpirun: --metrics " + v + ": give an address to listen on, such as localhost:9100 or :9100\n"; status != launch.StatusUsage || text != want {
			t.Errorf("status %d, %q", status, text)
		}
	}
}
