package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"time"

	"rhinet/internal/launch"
	"rhinet/internal/observe"
)

// A metrics serves what the ranks have done so far while they run.
type metrics struct {
	address string // empty: nobody wants it
	server  *http.Server
}

// set takes HOST:PORT, or :PORT, which is this machine only.
func (m *metrics) set(v string) error {
	host, port, err := net.SplitHostPort(v)
	if err == nil {
		_, err = net.LookupPort("tcp", port)
	}
	if err != nil || port == "" {
		return errors.New("give an address to listen on, such as localhost:9100 or :9100")
	}
	if host == "" {
		host = "localhost"
	}
	m.address = net.JoinHostPort(host, port)
	return nil
}

// serve begins to answer requests.
func (m *metrics) serve(reader *observe.Reader, program string, log io.Writer) error {
	listener, err := net.Listen("tcp", m.address)
	if err != nil {
		return &launch.Unready{Err: fmt.Errorf("--metrics: %w", err)}
	}
	mux := http.NewServeMux()
	answer := func(kind string, write func(*observe.Stats, io.Writer) error) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			stats, err := reader.Stats(program)
			if err != nil {
				http.Error(w, err.Error(), http.StatusInternalServerError)
				return
			}
			w.Header().Set("Content-Type", kind)
			_ = write(stats, w) // whoever asked has gone
		}
	}
	mux.Handle("GET /metrics", answer("text/plain; version=0.0.4", (*observe.Stats).WritePrometheus))
	mux.Handle("GET /debug/vars", answer("application/json", func(s *observe.Stats, w io.Writer) error {
		return json.NewEncoder(w).Encode(map[string]*observe.Stats{"rhinet": s})
	}))
	m.server = &http.Server{Handler: mux, ReadHeaderTimeout: 10 * time.Second}
	go m.server.Serve(listener)
	fmt.Fprintf(log, "mpirun: metrics at http://%s/metrics and /debug/vars\n", listener.Addr())
	return nil
}

func (m *metrics) close() {
	if m.server != nil {
		m.server.Close()
	}
}
