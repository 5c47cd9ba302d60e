package launcher

import (
	"bufio"
	"fmt"
	"strings"
)

// pmi1 is the wire of version 1: lines of NAME=VALUE between blanks.
//
//	cmd=init pmi_version=1 pmi_subversion=1   cmd=response_to_init rc=0 ...
//	cmd=get_my_kvsname                        cmd=my_kvsname kvsname=NAME
//	cmd=get_appnum                            cmd=appnum appnum=N
//	cmd=put kvsname=NAME key=K value=V        cmd=put_result rc=0
//	cmd=barrier_in                            cmd=barrier_out
//	cmd=get kvsname=NAME key=K                cmd=get_result rc=0 value=V
//	cmd=finalize                              cmd=finalize_ack
//	cmd=abort exitcode=STATUS                 -
type pmi1 struct{ store string }

func (w *pmi1) start(c *conn, _ int) error {
	go c.listen(bufio.NewReaderSize(c.file, longestMessage))
	if _, err := w.call(c, "init pmi_version=1 pmi_subversion=1", "response_to_init"); err != nil {
		return err
	}
	answer, err := w.call(c, "get_my_kvsname", "my_kvsname")
	w.store = answer["kvsname"]
	return err
}

func (w *pmi1) put(c *conn, key, value string) error {
	_, err := w.call(c, fmt.Sprintf("put kvsname=%s key=%s value=%s", w.store, key, value), "put_result")
	return err
}

func (w *pmi1) fence(c *conn) error {
	line, err := c.ask("cmd=barrier_in\n", true)
	if err == nil && fields(line)["cmd"] != "barrier_out" {
		err = c.refused("barrier_in", line)
	}
	return err
}

func (w *pmi1) get(c *conn, key string) (string, bool, error) {
	asked := fmt.Sprintf("get kvsname=%s key=%s", w.store, key)
	line, err := c.ask("cmd="+asked+"\n", false)
	if err != nil {
		return "", false, err
	}
	answer := fields(line)
	if answer["cmd"] != "get_result" {
		return "", false, c.refused(asked, line)
	}
	return answer["value"], answer["rc"] == "0", nil
}

func (w *pmi1) mapping(c *conn) (string, bool, error) { return w.get(c, "PMI_process_mapping") }

func (w *pmi1) program(c *conn) (string, bool, error) {
	line, err := c.ask("cmd=get_appnum\n", false)
	if err != nil {
		return "", false, err
	}
	n, found := fields(line)["appnum"]
	return n, found, nil
}

func (w *pmi1) finish() string { return "cmd=finalize\n" }

func (w *pmi1) abort(status int) string { return fmt.Sprintf("cmd=abort exitcode=%d\n", status) }

// call returns the answer of the given name, which must report success.
func (w *pmi1) call(c *conn, asked, want string) (map[string]string, error) {
	line, err := c.ask("cmd="+asked+"\n", false)
	if err != nil {
		return nil, err
	}
	answer := fields(line)
	if rc, ok := answer["rc"]; answer["cmd"] != want || ok && rc != "0" {
		return nil, c.refused(asked, line)
	}
	return answer, nil
}

func fields(line string) map[string]string {
	m := map[string]string{}
	for f := range strings.FieldsSeq(line) {
		name, value, _ := strings.Cut(f, "=")
		m[name] = value
	}
	return m
}
