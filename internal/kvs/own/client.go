package own

import (
	"bufio"
	"encoding/hex"
	"errors"
	"fmt"
	"net"
	"strconv"
	"strings"
	"time"

	"rhinet/internal/kvs"
)

// A Store is one rank's connection to the store.
type Store struct {
	conn     net.Conn
	in       *bufio.Reader
	name     string
	patience time.Duration
	missing  func() error // see Watch; may be nil
	lost     error
}

var (
	_ kvs.Store   = (*Store)(nil)
	_ kvs.Lister  = (*Store)(nil)
	_ kvs.Watcher = (*Store)(nil)
)

// Open connects a rank to the store at HOST:PORT. key is the job's key.
func Open(address string, key []byte, rank int) (*Store, error) {
	return open(address, key, rank, kvs.Patience)
}

func open(address string, key []byte, rank int, patience time.Duration) (*Store, error) {
	s := &Store{name: Scheme + address, patience: patience}
	d := net.Dialer{Timeout: patience, KeepAliveConfig: probes}
	conn, err := d.Dial("tcp", address)
	if err != nil {
		return nil, s.fail(err)
	}
	s.conn, s.in = conn, bufio.NewReaderSize(conn, longestLine)
	if err := s.enter(key, rank); err != nil {
		conn.Close()
		return nil, s.fail(err)
	}
	s.patience = max(patience, lateness)
	return s, nil
}

// enter proves to the server that this rank knows the key, and checks the server's proof.
func (s *Store) enter(key []byte, rank int) error {
	line, err := s.read()
	server, ok := strings.CutPrefix(line, greeting+" ")
	if err != nil {
		return err
	}
	if !ok {
		return errors.New("this is no server of this version; use the mpirun and the programs of one build")
	}
	client := hex.EncodeToString(random(nonceBytes))
	line, err = s.say(fmt.Sprintf("%s %d %s", client, rank, prove(key, "client", server, client, rank)))
	if err == nil && !same(line, prove(key, "server", server, client, rank)) {
		err = errors.New("this is the server of another job")
	}
	return err
}

// Put stores a value.
func (s *Store) Put(key string, value []byte) error {
	if err := kvs.Check(key, value); err != nil {
		return err
	}
	_, err := s.ask("put "+key+" "+hex.EncodeToString(value), "ok")
	return err
}

// Watch has Fence ask missing whenever the server says that it waits.
func (s *Store) Watch(missing func() error) { s.missing = missing }

// Fence waits for the other ranks.
func (s *Store) Fence() error {
	_, err := s.ask("fence", "ok")
	return err
}

// Get looks up a value.
func (s *Store) Get(key string) ([]byte, error) {
	answer, err := s.ask("get "+key, "value", "absent")
	if err != nil {
		return nil, err
	}
	text, ok := strings.CutPrefix(answer, "value ")
	if !ok {
		return nil, s.absent(key)
	}
	return hex.DecodeString(text)
}

// List looks up many values in one request.
func (s *Store) List(keys []string) ([][]byte, error) {
	answer, err := s.ask("list", "entries")
	if err != nil {
		return nil, err
	}
	all := map[string]string{}
	n, err := strconv.Atoi(strings.TrimPrefix(answer, "entries "))
	for ; err == nil && n > 0; n-- {
		var line string
		line, err = s.read()
		key, value, _ := strings.Cut(line, " ")
		all[key] = value
	}
	if err != nil {
		return nil, s.fail(err)
	}
	values := make([][]byte, len(keys))
	for i, key := range keys {
		text, ok := all[key]
		if !ok {
			return nil, s.absent(key)
		}
		if values[i], err = hex.DecodeString(text); err != nil {
			return nil, s.fail(fmt.Errorf("the value of %s is %.40q", key, text))
		}
	}
	return values, nil
}

// absent reports a key that no rank has put.
func (s *Store) absent(key string) error { return fmt.Errorf("%s: %s: %w", s.name, key, kvs.ErrAbsent) }

// Close ends the connection.
func (s *Store) Close() error { return s.conn.Close() }

// ask returns the answer to a line; the answer must begin with one of words.
func (s *Store) ask(line string, words ...string) (string, error) {
	if s.lost != nil {
		return "", s.lost
	}
	answer, err := s.say(line)
	if err != nil && s.lost == nil {
		err = s.fail(err)
	}
	if err != nil {
		return "", err
	}
	word, rest, _ := strings.Cut(answer, " ")
	for _, w := range words {
		if w == word {
			return answer, nil
		}
	}
	if word == "left" {
		return "", s.fail(fmt.Errorf("rank %s has left", rest))
	}
	return "", s.fail(fmt.Errorf("the server answers %.40q", answer))
}

// say writes a line and returns the next line that is not a dot. If a rank was missing at a dot already, its
// error is the result at the next one: a rank may have ended after the fence that this one is about to leave.
func (s *Store) say(line string) (answer string, err error) {
	if err := s.conn.SetWriteDeadline(time.Now().Add(s.patience)); err != nil {
		return "", err
	}
	if _, err := s.conn.Write([]byte(line + "\n")); err != nil {
		return "", err
	}
	var gone error
	for {
		if answer, err = s.read(); answer != "." || err != nil {
			return answer, err
		}
		if gone != nil {
			s.lost = gone
			return "", gone
		}
		if s.missing != nil {
			gone = s.missing()
		}
	}
}

func (s *Store) read() (string, error) {
	if err := s.conn.SetReadDeadline(time.Now().Add(s.patience)); err != nil {
		return "", err
	}
	line, err := s.in.ReadSlice('\n')
	if err != nil {
		return "", err
	}
	return string(line[:len(line)-1]), nil
}

// fail notes that the store is lost.
func (s *Store) fail(err error) error {
	s.lost = kvs.Lost(s.name, err)
	return s.lost
}
