package mpi

import (
	"encoding/json"
	"fmt"
)

// A stray is a message to this rank that nobody has received.
type stray struct {
	c     *core
	ctx   uint16
	from  int // world rank
	tag   int
	bytes int64
	back  int      // its number from the last one of its stream, which is 1; 0: it may be any
	match *Message // that a probe has made of it, or nil
	line  string   // that has sent it; empty: nobody knows
}

// String describes it for the report of Finalize.
func (m *stray) String() string {
	text := fmt.Sprintf("from %d tag %d on %s: %d bytes", m.c.local(m.from), m.tag, m.c.name, m.bytes)
	if m.line != "" {
		text += ", sent at " + m.line
	}
	if m.match != nil {
		text += fmt.Sprintf(", which %s has matched (%s)", m.match.site.call, m.match.made)
	}
	return text
}

// An inquiry is what a rank asks another about messages of that to it: which lines have sent them.
type inquiry struct {
	Context uint16
	Tag     int
	Back    int // see stray
}

// longestAnswer is that to what one rank asks: the names of files are what is long.
const longestAnswer = 64 << 10

// trace asks the senders of messages for their lines, and answers others. All ranks of the world call it. Who gets no answer does without.
func (c *Comm) trace(s site, strays []*stray) {
	if c.w.requests.origins == nil {
		return
	}
	asked, open := map[int][]inquiry{}, map[int][]*stray{}
	for _, m := range strays {
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
	for _, m := range c.mail(s, roundAsk, out, longestAnswer) {
		var list []inquiry
		_ = json.Unmarshal(m.text, &list) // who asks nothing is told nothing
		answers[m.from], _ = json.Marshal(c.answer(m.from, list))
	}
	for _, m := range c.post(s, roundAnswer, answers, len(out), longestAnswer) {
		var lines []string
		if json.Unmarshal(m.text, &lines) == nil {
			fill(m.from, lines)
		}
	}
}

// answer is what this rank says of its messages to another one.
func (c *Comm) answer(to int, list []inquiry) []string {
	k := &c.w.requests
	k.mu.Lock()
	defer k.mu.Unlock()
	lines := make([]string, len(list))
	for i, q := range list {
		lines[i] = k.origins.line(streamKey(q.Context, to, q.Tag), q.Back).String()
	}
	return lines
}
