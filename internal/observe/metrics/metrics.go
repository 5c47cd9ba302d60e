// Package metrics serves what the ranks of a job have done so far over HTTP, while they run.
package metrics

import (
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"time"

	"rhinet/internal/observe"
)

// Address parses HOST:PORT, or :PORT, which means this machine only.
func Address(text string) (string, error) {
	host, port, err := net.SplitHostPort(text)
	if err == nil {
		_, err = net.LookupPort("tcp", port)
	}
	if err != nil || port == "" {
		return "", errors.New("give an address to listen on, such as localhost:9100 or :9100")
	}
	if host == "" {
		host = "localhost"
	}
	return net.JoinHostPort(host, port), nil
}

// Serve answers requests at an address, in the formats of Prometheus and JSON. The address that it returns
// has the actual port if the given port was 0. The caller closes the server.
func Serve(address string, reader *observe.Reader, program string) (*http.Server, net.Addr, error) {
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return nil, nil, err
	}
	mux := http.NewServeMux()
	answer := func(kind string, write func(*observe.Stats, io.Writer) error) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			stats, err := reader.SoFar(program)
			if err != nil {
				http.Error(w, err.Error(), http.StatusInternalServerError)
				return
			}
			w.Header().Set("Content-Type", kind)
			_ = write(stats, w) // the client has gone
		}
	}
	mux.Handle("GET /metrics", answer("text/plain; version=0.0.4", (*observe.Stats).WritePrometheus))
	mux.Handle("GET /debug/vars", answer("application/json", func(s *observe.Stats, w io.Writer) error {
		return json.NewEncoder(w).Encode(map[string]*observe.Stats{"rhinet": s})
	}))
	server := &http.Server{Handler: mux, ReadHeaderTimeout: 10 * time.Second}
	go server.Serve(listener)
	return server, listener.Addr(), nil
}
