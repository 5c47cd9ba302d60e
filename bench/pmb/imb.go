package pmb

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Flags translates flags in args from the form of IMB to that of bench pmb: flags with one dash and with
// underlines, such as -npmin and -off_cache, and flags with another name or another form of values. For a
// flag of IMB that has no counterpart, the error says what to use instead.
func Flags(args []string) (long []string, err error) {
	used := map[string]string{} // flags that have been given, by their long names
	for rest := args; len(rest) > 0; {
		if rest[0] == "--" {
			return append(long, rest...), nil
		}
		name, value, given := strings.Cut(longFlag(rest[0]), "=")
		rest = rest[1:]
		if name == "--off-cache" && !given && len(rest) > 0 && isNumber(rest[0]) {
			return nil, fmt.Errorf("--off-cache %s: write the number behind =, and in bytes: --off-cache=8388608 for IMB's 8 MB", rest[0])
		}
		flag, known := imbFlags()[name]
		if !known {
			long = append(long, joined(name, value, given))
			if err := once(used, name, name); err != nil {
				return nil, err
			}
			continue
		}
		if !given && len(rest) > 0 && (flag.needs || slices.Contains(flag.words, rest[0])) {
			value, given, rest = rest[0], true, rest[1:]
		}
		if !given && flag.needs {
			return nil, fmt.Errorf("flag needs an argument: %s; bench pmb --help lists the flags", name)
		}
		own, err := flag.own(value)
		if err != nil {
			return nil, err
		}
		for _, flag := range own {
			is, _, _ := strings.Cut(flag, "=")
			if err := once(used, is, name); err != nil {
				return nil, err
			}
		}
		long = append(long, own...)
	}
	return long, nil
}

// once notes under which name a flag is given; it is an error to give it again under another name.
func once(used map[string]string, flag, name string) error {
	if before := used[flag]; before != "" && before != name {
		return fmt.Errorf("%s and %s say the same twice; leave one out", before, name)
	}
	used[flag] = name
	return nil
}

func isNumber(text string) bool {
	_, err := strconv.ParseFloat(text, 64)
	return err == nil
}

// longFlag returns an argument with two dashes and without underlines, if it is a flag.
func longFlag(arg string) string {
	if len(arg) < 3 || arg[0] != '-' {
		return arg
	}
	if arg[1] != '-' {
		arg = "-" + arg
	}
	name, value, ok := strings.Cut(arg, "=")
	return joined(strings.ReplaceAll(name, "_", "-"), value, ok)
}

func joined(name, value string, given bool) string {
	if !given {
		return name
	}
	return name + "=" + value
}

// An imbFlag is a flag of IMB that is written differently here.
type imbFlag struct {
	needs bool     // a value
	words []string // values that it may have
	own   func(value string) ([]string, error)
}

// switchWords are IMB's words for on and off.
var switchWords = []string{"on", "off", "enable", "disable", "yes", "no", "true", "false", "1", "0"}

func isOn(word string) bool {
	i := slices.Index(switchWords, word)
	return i%2 == 0
}

// imbFlags are the flags by their long names.
func imbFlags() map[string]imbFlag {
	instead := func(needs bool, text string) imbFlag {
		return imbFlag{needs: needs, own: func(string) ([]string, error) { return nil, errors.New(text) }}
	}
	flags := map[string]imbFlag{
		"--iter":   {needs: true, own: iterFlag},
		"--msglog": {needs: true, own: msglogFlag},
		"--time":   {needs: true, own: timeFlag},
		"--multi":  {words: []string{"0", "1"}, own: multiFlag},
		"--root-shift": {words: switchWords, own: func(word string) ([]string, error) {
			if word == "" || isOn(word) {
				return []string{"--root-shift"}, nil
			}
			return wordOf("--root-shift", word, nil)
		}},
		"--sync": {words: switchWords, own: func(word string) ([]string, error) {
			if word == "" || isOn(word) {
				return nil, nil // the default
			}
			return wordOf("--sync", word, []string{"--no-sync"})
		}},
		"--imb-barrier": {words: switchWords, own: func(word string) ([]string, error) {
			if word == "" || isOn(word) {
				return []string{"--own-barrier"}, nil
			}
			return wordOf("--imb-barrier", word, nil)
		}},
		"--msglen":        instead(true, "--msglen reads a file of lengths; give them with --sizes, separated by commas"),
		"--map":           instead(true, "--map places ranks; bench pmb takes them as they are, and mpirun --map-by and --bind-to place them"),
		"--mem":           instead(true, "--mem bounds the buffers of IMB; here they have the size of the message, and --sizes bounds that"),
		"--input":         instead(true, "--input reads a file of names; give the names of benchmarks as arguments"),
		"--include":       instead(true, "--include adds benchmarks; give the names of those to run as arguments"),
		"--exclude":       instead(true, "--exclude leaves benchmarks out; give the names of those to run as arguments"),
		"--iter-policy":   instead(true, "--iter-policy chooses how repetitions become fewer; here --volume and --time both bound them"),
		"--data-type":     instead(true, "--data-type is not to be chosen; reductions are of float32"),
		"--red-data-type": instead(true, "--red-data-type is not to be chosen; reductions are of float32"),
		"--thread-level":  instead(true, "--thread-level is not to be chosen; it is always MPI_THREAD_MULTIPLE"),
		"--warm-up":       instead(false, "--warm-up is not to be chosen; two repetitions come before the clock"),
		"--output":        instead(true, "--output writes a file; redirect the output to one, --format csv and json are for programs"),
	}
	return flags
}

// wordOf rejects a value that is not a switch word.
func wordOf(flag, word string, own []string) ([]string, error) {
	if !slices.Contains(switchWords, word) {
		return nil, fmt.Errorf("%s %s is neither on nor off", flag, word)
	}
	return own, nil
}

// iterFlag is IMB's -iter REPETITIONS[,MB]: maximum repetitions, and maximum volume in units of 2^20 bytes.
func iterFlag(value string) ([]string, error) {
	reps, volume, both := strings.Cut(value, ",")
	if _, err := strconv.Atoi(reps); err != nil {
		return nil, fmt.Errorf("--iter %s is not REPETITIONS or REPETITIONS,MB; --repetitions and --volume are the same", value)
	}
	own := []string{"--repetitions=" + reps}
	if !both {
		return own, nil
	}
	mb, err := strconv.Atoi(volume)
	if err != nil || mb < 0 || mb > 1<<40 {
		return nil, fmt.Errorf("--iter %s is not REPETITIONS or REPETITIONS,MB; --repetitions and --volume are the same", value)
	}
	return append(own, fmt.Sprintf("--volume=%d", mb<<20)), nil
}

// mostLog is the largest logarithm of --msglog.
const mostLog = 30

// msglogFlag is IMB's -msglog [MIN:]MAX: 0 bytes and the powers of two between.
func msglogFlag(value string) ([]string, error) {
	low, high, both := strings.Cut(value, ":")
	if !both {
		low, high = "0", value
	}
	from, err1 := strconv.Atoi(low)
	to, err2 := strconv.Atoi(high)
	if err1 != nil || err2 != nil || from < 0 || to < from || to > mostLog {
		return nil, fmt.Errorf("--msglog %s is not MAX or MIN:MAX, logarithms of message sizes up to %d; --sizes takes any sizes", value, mostLog)
	}
	sizes := []string{"0"}
	for l := from; l <= to; l++ {
		sizes = append(sizes, strconv.Itoa(1<<l))
	}
	return []string{"--sizes=" + strings.Join(sizes, ",")}, nil
}

// timeFlag accepts a time as a number of seconds, as IMB does.
func timeFlag(value string) ([]string, error) {
	if isNumber(value) {
		value += "s"
	}
	return []string{"--time=" + value}, nil
}

// multiFlag accepts 0 or 1 after -multi, which in IMB selects what is printed.
func multiFlag(value string) ([]string, error) {
	switch value {
	case "", "0", "1":
		return []string{"--multi"}, nil
	}
	return []string{"--multi=" + value}, nil
}
