package launcher

import (
	"bufio"
	"fmt"
	"strings"
)

// pmi2 is the wire of version 2: six characters of length, then NAME=VALUE; with each ; in a value doubled.
// The first message is a line of version 1.
//
//	cmd=fullinit;pmijobid=J;pmirank=R;threaded=FALSE;  cmd=fullinit-response;rc=0;appnum=N;...
//	cmd=kvs-put;key=K;value=V;                         cmd=kvs-put-response;rc=0;
//	cmd=kvs-fence;                                     cmd=kvs-fence-response;rc=0;
//	cmd=kvs-get;jobid=J;srcid=-1;key=K;                cmd=kvs-get-response;found=TRUE;value=V;rc=0;
//	cmd=info-getjobattr;key=K;                         cmd=info-getjobattr-response;found=TRUE;value=V;rc=0;
//	cmd=finalize;                                      cmd=finalize-response;rc=0;
//	cmd=abort;isworld=TRUE;msg=TEXT;                   -
type pmi2 struct {
	job   string
	begun map[string]string // the answer to fullinit
}

func (w *pmi2) start(c *conn, rank int) error {
	if err := c.say("cmd=init pmi_version=2 pmi_subversion=0\n"); err != nil {
		return err
	}
	in := bufio.NewReaderSize(c.file, longestMessage)
	line, err := c.first(in)
	if err != nil {
		return c.fail(err)
	}
	if answer := fields(line); answer["cmd"] != "response_to_init" || answer["rc"] != "0" {
		return c.refused("init", strings.TrimSpace(line))
	}
	c.framed = true
	go c.listen(in)
	w.begun, err = w.call(c, "fullinit", fmt.Sprintf("pmijobid=%s;pmirank=%d;threaded=FALSE;", w.job, rank), false)
	return err
}

func (w *pmi2) put(c *conn, key, value string) error {
	_, err := w.call(c, "kvs-put", "key="+key+";value="+value+";", false)
	return err
}

func (w *pmi2) fence(c *conn) error {
	_, err := w.call(c, "kvs-fence", "", true)
	return err
}

func (w *pmi2) get(c *conn, key string) (string, bool, error) {
	return w.find(c, "kvs-get", fmt.Sprintf("jobid=%s;srcid=-1;key=%s;", w.job, key))
}

func (w *pmi2) mapping(c *conn) (string, bool, error) {
	return w.find(c, "info-getjobattr", "key=PMI_process_mapping;")
}

func (w *pmi2) program(*conn) (string, bool, error) {
	n, found := w.begun["appnum"]
	return n, found, nil
}

func (w *pmi2) finish() string { return frame("cmd=finalize;") }

func (w *pmi2) abort(status int) string {
	return frame(fmt.Sprintf("cmd=abort;isworld=TRUE;msg=a rank has called Abort with status %d;", status))
}

// find returns a value that may be missing. Some launchers write flag for found.
func (w *pmi2) find(c *conn, cmd, rest string) (string, bool, error) {
	answer, err := w.send(c, cmd, rest, false)
	return answer["value"], answer["found"] == "TRUE" || answer["flag"] == "TRUE", err
}

// call returns the answer to a command, which must report success.
func (w *pmi2) call(c *conn, cmd, rest string, patient bool) (map[string]string, error) {
	answer, err := w.send(c, cmd, rest, patient)
	if err == nil && answer["rc"] != "0" {
		err = c.refused(cmd, answer["errmsg"])
	}
	return answer, err
}

func (w *pmi2) send(c *conn, cmd, rest string, patient bool) (map[string]string, error) {
	text, err := c.ask(frame("cmd="+cmd+";"+rest), patient)
	if err != nil {
		return nil, err
	}
	answer := pairs(text)
	if answer["cmd"] != cmd+"-response" {
		return nil, c.refused(cmd, text)
	}
	return answer, nil
}

func frame(text string) string { return fmt.Sprintf("%6d%s", len(text), text) }

// pairs splits a message into its pairs. A doubled semicolon is part of a value.
func pairs(text string) map[string]string {
	const mark = "\x00"
	m := map[string]string{}
	for f := range strings.SplitSeq(strings.ReplaceAll(text, ";;", mark), ";") {
		if name, value, ok := strings.Cut(f, "="); ok {
			m[name] = strings.ReplaceAll(value, mark, ";")
		}
	}
	return m
}
