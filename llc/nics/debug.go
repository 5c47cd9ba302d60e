package nics

import (
	"fmt"
	"os"
	"strings"

	"rhinet/llc/contract"
	"rhinet/llc/ir"
)

// DebugVariable is the environment variable that says what a job watches of
// itself: a list of words, separated by commas, see [ParseDebug]. All ranks of
// a job need the same value.
const DebugVariable = "RHINET_DEBUG"

// A Debug is what a job watches of itself. The zero Debug watches nothing and
// costs nothing.
type Debug struct {
	Requests bool // where requests were made, and packets that cannot be right
	Contract bool // the contract between engine and NIC (package llc/contract)
	Buffers  bool // that the buffers of requests are left alone until these are complete
	Checksum bool // that packets and flags come as they were sent (package llc/checksum)
}

// debugWords are the words of the variable in the order of their description.
var debugWords = []struct {
	word string
	set  func(*Debug)
}{
	{"requests", func(d *Debug) { d.Requests = true }},
	{"contract", func(d *Debug) { d.Contract = true }},
	{"buffers", func(d *Debug) { d.Buffers = true }},
	{"checksum", func(d *Debug) { d.Checksum = true }},
}

// ParseDebug reads the value of the variable: words of which each switches on
// one field of Debug by its name, or all of them. 1 is another name of
// requests; an empty value switches on nothing.
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
		return fmt.Errorf("nics: nothing to watch is called %q; there are %s and all, separated by commas", word, strings.Join(names, ", "))
	}
	return nil
}

// watch wraps the translator of one rank in what watches its contract. What is found ends
// the process with a message.
func (d Debug) watch(t ir.Translator) ir.Translator {
	if d.Contract {
		t = contract.Watch(t, func(err error) { end(t, err) })
	}
	return t
}

// end ends the process of a rank, and with it the job.
func end(t ir.Translator, err error) {
	fmt.Fprintf(os.Stderr, "%v\n", err)
	if a := ir.AbilitiesOf(t).Aborter; a != nil {
		a.Abort()
	}
	os.Exit(1)
}

// watchAll is watch for all ranks of a job within one process. What is found ends
// it by a panic of its own goroutine: whoever finds it holds locks that others wait for.
func (d Debug) watchAll(ts []ir.Translator) []ir.Translator {
	if d.Contract {
		ts = contract.WatchAll(ts, func(err error) { go panic(err) })
	}
	return ts
}
