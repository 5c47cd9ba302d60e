package nics

import (
	"fmt"
	"os"
	"strings"

	"rhinet/llc/contract"
	"rhinet/llc/ir"
)

// DebugVariable is the environment variable that says what a job checks of itself: a list of words, separated
// by commas, see [ParseDebug]. All ranks of a job need the same value.
const DebugVariable = "RHINET_DEBUG"

// A Debug says what a job checks of itself. The zero Debug checks nothing and costs nothing.
type Debug struct {
	Requests bool // where requests were made, and packets that cannot be right
	Contract bool // the contract between engine and NIC (package llc/contract)
	Buffers  bool // that the buffers of requests are not touched until these are complete
	Checksum bool // that packets and flags arrive as they were sent (package llc/checksum)
}

// debugWords has the words of the variable in the order of their description.
var debugWords = []struct {
	word string
	set  func(*Debug)
}{
	{"requests", func(d *Debug) { d.Requests = true }},
	{"contract", func(d *Debug) { d.Contract = true }},
	{"buffers", func(d *Debug) { d.Buffers = true }},
	{"checksum", func(d *Debug) { d.Checksum = true }},
}

// ParseDebug reads the value of the variable: each word switches on the field of Debug of its name, or all of
// them. 1 is another name of requests; an empty value switches on nothing.
func ParseDebug(value string) (Debug, error) {
	var d Debug
	for word := range strings.SplitSeq(value, ",") {
		if err := d.parse(strings.TrimSpace(word)); err != nil {
			return Debug{}, err
		}
	}
	return d, nil
}

func (d *Debug) parse(word string) error {
	switch word {
	case "":
		return nil
	case "1":
		word = "requests"
	}
	known := word == "all"
	names := make([]string, 0, len(debugWords))
	for _, w := range debugWords {
		if word == w.word || word == "all" {
			w.set(d)
			known = true
		}
		names = append(names, w.word)
	}
	if !known {
		return fmt.Errorf("nothing to watch is called %q; there are %s and all, separated by commas", word, strings.Join(names, ", "))
	}
	return nil
}

// watch wraps the translator of one rank in a checker of its contract. A breach ends the process with a
// message.
func (d Debug) watch(t ir.Translator) ir.Translator {
	if d.Contract {
		t = contract.Watch(t, func(err error) { end(t, err) })
	}
	return t
}

// end ends the process of a rank, and with it the job.
func end(t ir.Translator, err error) {
	fmt.Fprintf(os.Stderr, "%v\n", err)
	if a := ir.AbilitiesOf(t).Announcer; a != nil {
		a.Abort()
	}
	os.Exit(1)
}

// watchAll is watch for all ranks of a job within one process. A breach ends the process by a panic of a
// goroutine of its own: the goroutine that finds it holds locks that others wait for.
func (d Debug) watchAll(ts []ir.Translator) []ir.Translator {
	if d.Contract {
		ts = contract.WatchAll(ts, func(err error) { go panic(err) })
	}
	return ts
}
