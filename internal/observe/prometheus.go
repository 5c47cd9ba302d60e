package observe

import (
	"bytes"
	"fmt"
	"io"
	"strings"
)

// label returns a label value in the text format of Prometheus.
func label(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(s) + `"`
}

// A family is a metric with its samples.
type family struct {
	name, help string
	text       bytes.Buffer
}

func (f *family) add(labels string, value float64) {
	fmt.Fprintf(&f.text, "%s{%s} %v\n", f.name, labels, value)
}

// WritePrometheus writes the statistics in the text format of Prometheus. All metrics are counters.
func (s *Stats) WritePrometheus(out io.Writer) error {
	calls := family{name: "rhinet_calls_total", help: "MPI calls of a rank"}
	moved := family{name: "rhinet_call_bytes_total", help: "bytes of messages that the calls sent or received"}
	seconds := family{name: "rhinet_call_seconds_total", help: "time in the calls"}
	wait := family{name: "rhinet_wait_seconds_total", help: "time in the calls spent waiting"}
	messages := family{name: "rhinet_messages_total", help: "messages from one rank to another"}
	sent := family{name: "rhinet_message_bytes_total", help: "bytes of these messages"}
	comms := family{name: "rhinet_comm_messages_total", help: "messages on a communicator"}
	commBytes := family{name: "rhinet_comm_message_bytes_total", help: "bytes of these messages"}
	waits := family{name: "rhinet_comm_waits_total", help: "calls on a communicator that had to wait"}
	waited := family{name: "rhinet_comm_wait_seconds_total", help: "how long they waited"}
	for _, r := range s.Ranks {
		for _, c := range r.Calls {
			at := fmt.Sprintf(`rank="%d",call=%s`, r.Rank, label(c.Call))
			calls.add(at, float64(c.Count))
			moved.add(at, float64(c.Bytes))
			seconds.add(at, c.Seconds)
			wait.add(at, c.Wait)
		}
		for i, c := range r.Comms {
			at := fmt.Sprintf(`rank="%d",comm=%s,number="%d"`, r.Rank, label(c.Comm), i)
			comms.add(at+`,direction="sent"`, float64(c.Sent))
			comms.add(at+`,direction="received"`, float64(c.Received))
			commBytes.add(at+`,direction="sent"`, float64(c.SentBytes))
			commBytes.add(at+`,direction="received"`, float64(c.ReceivedBytes))
			waits.add(at, float64(c.Waits))
			waited.add(at, c.Waited)
		}
	}
	for _, t := range s.Traffic {
		at := fmt.Sprintf(`from="%d",to="%d"`, t.From, t.To)
		messages.add(at, float64(t.Messages))
		sent.add(at, float64(t.Bytes))
	}
	for _, f := range []*family{&calls, &moved, &seconds, &wait, &messages, &sent, &comms, &commBytes, &waits, &waited} {
		if _, err := fmt.Fprintf(out, "# HELP %s %s\n# TYPE %s counter\n%s", f.name, f.help, f.name, f.text.String()); err != nil {
			return err
		}
	}
	return nil
}
