package launch

import (
	"fmt"
	"os"

	"rhinet/internal/control"
)

// An image is a program that mpirun has sent.
type image struct {
	file *os.File
	err  error // why there is no file
}

// fetch receives the programs that follow the orders. Its error is how the connection has failed; why a
// program has no place here is an error of its image.
func fetch(conn *control.Conn, parts []partSpec) (all []image, err error) {
	all = make([]image, len(parts))
	for i := range parts {
		if parts[i].Image > 0 && err == nil {
			err = all[i].receive(conn, &parts[i])
		}
	}
	return all, err
}

// receive receives the program of a part.
func (m *image) receive(conn *control.Conn, part *partSpec) error {
	m.file, m.err = newImage(part.Name)
	for left := part.Image; left > 0; {
		var next message
		if err := conn.Receive(&next); err != nil {
			return err
		}
		n := len(next.Code)
		if n == 0 || n > left {
			return fmt.Errorf("%d bytes of the program %s are missing, and it sends something else", left, part.Name)
		}
		left -= n
		if m.err == nil {
			_, m.err = m.file.Write(next.Code)
		}
	}
	if m.err == nil {
		m.err = sealImage(m.file)
	}
	return nil
}

// path returns the name by which processes of this user can execute the program.
func (m *image) path() (string, error) {
	if m.err != nil {
		return "", m.err
	}
	return fmt.Sprintf("/proc/%d/fd/%d", os.Getpid(), m.file.Fd()), nil
}

// close gives up the program; ranks that execute it keep it.
func (m *image) close() error {
	if m.file == nil {
		return nil
	}
	return m.file.Close()
}

// sendCode sends programs in the order of the parts.
func sendCode(conn *control.Conn, programs [][]byte) error {
	for _, code := range programs {
		for len(code) > 0 {
			n := min(codeBytes, len(code))
			if err := conn.Send(&message{Code: code[:n]}); err != nil {
				return err
			}
			code = code[n:]
		}
	}
	return nil
}
