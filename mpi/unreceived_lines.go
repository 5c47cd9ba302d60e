package mpi

import (
	"encoding/json"
	"fmt"

	"rhinet/internal/origin"
)

// An unreceived is a message to this rank that was never received.
type unreceived struct {
	c     *core
	ctx   uint16
	from  int // world rank
	tag   int
	bytes int64
	back  int      // its number counted back from the last one of its stream, which is 1; 0: it may be any
	match *Message // if a probe has matched it; or nil
	line  string   // of the program that has sent it; empty: not known
}

// String describes the message for the report of Finalize.
func (m *unreceived) String() string {
	text := fmt.Sprintf("from %d tag %d on %s: %d bytes", m.c.local(m.from), m.tag, m.c.name, m.bytes)
	if m.line != "" {
		text += ", sent at " + m.line
	}
	if m.match != nil {
		text += fmt.Sprintf(", which %s has matched (%s)", m.match.site.call, m.match.made)
	}
	return text
}

// An inquiry asks a rank from which lines it has sent messages to the asking rank.
type inquiry struct {
	Context uint16
	Tag     int
	Back    int // see unreceived
}

// longestAnswer is the longest answer to one rank; file names make it long.
const longestAnswer = 64 << 10

// trace asks the senders of messages for their lines, and answers others. All ranks of
// the world call it. Lines that are not answered stay unknown.
func (c *Comm) trace(s site, left []*unreceived) {
	if c.w.requests.origins == nil {
		return
	}
	asked, open := map[int][]inquiry{}, map[int][]*unreceived{}
	for _, m := range left {
		asked[m.from] = append(asked[m.from], inquiry{m.ctx, m.tag, m.back})
		open[m.from] = append(open[m.from], m)
	}
	fill := func(from int, lines []string) {
		for i, m := range open[from][:min(len(lines), len(open[from]))] {
			m.line = lines[i]
		}
	}
	out := map[int][]byte{}
	for to, list := range asked {
		if to == c.rank {
			fill(to, c.answer(to, list))
		} else if text, err := json.Marshal(list); err == nil {
			out[to] = text
		}
	}
	answers := map[int][]byte{}
	for _, m := range c.sparseExchange(s, roundAsk, out, longestAnswer) {
		var list []inquiry
		_ = json.Unmarshal(m.text, &list) // without a question the answer is empty
		answers[m.from], _ = json.Marshal(c.answer(m.from, list))
	}
	for _, m := range c.exchangeRound(s, roundAnswer, answers, len(out), longestAnswer) {
		var lines []string
		if json.Unmarshal(m.text, &lines) == nil {
			fill(m.from, lines)
		}
	}
}

// answer returns the lines from which this rank has sent messages to another one.
func (c *Comm) answer(to int, list []inquiry) []string {
	k := &c.w.requests
	k.mu.Lock()
	defer k.mu.Unlock()
	lines := make([]string, len(list))
	for i, q := range list {
		lines[i] = k.origins.Line(origin.StreamOf(q.Context, to, q.Tag), q.Back).String()
	}
	return lines
}
