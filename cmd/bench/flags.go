package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"rhinet/bench/compare"
)

// noArgs rejects arguments, and says which flag is meant for them.
func noArgs(c *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	way := c.CommandPath() + " --help lists the flags"
	for _, f := range []struct{ name, hint string }{
		{"sizes", "sizes are given with --sizes"},
		{"tests", "tests are given with --tests"},
	} {
		if flag := c.Flags().Lookup(f.name); flag != nil && !flag.Hidden {
			way = f.hint
		}
	}
	var below []string
	for _, s := range c.Commands() {
		if !s.Hidden {
			below = append(below, s.Name())
		}
	}
	if len(below) > 0 {
		way += ", and commands are " + strings.Join(below, ", ")
	}
	return usage(fmt.Errorf("unexpected argument %q; %s", args[0], way))
}

// kinds describes invalid values, by the type of the flag.
var kinds = map[string]string{
	"int":      "not a whole number",
	"uint64":   "not a whole number of 0 or more",
	"float64":  "not a number",
	"intSlice": "not whole numbers separated by commas",
	"duration": "not a duration, such as 100ms or 5m",
	"bool":     "neither true nor false",
}

// positive rejects a duration in which nothing can be measured.
func positive(flag string, d time.Duration) error {
	if d > 0 {
		return nil
	}
	return fmt.Errorf("--%s %v is not a positive duration, such as 100ms", flag, d)
}

// atLeastOne rejects a count below 1.
func atLeastOne(flag string, n int) error {
	if n > 0 {
		return nil
	}
	return fmt.Errorf("--%s %d is less than 1", flag, n)
}

// peersFlag takes names of C runtimes; the default is all.
func peersFlag(f *pflag.FlagSet, peers *[]string, about string) {
	f.StringSliceVar(peers, "peers", compare.PeerNames(), about)
}

// oneOf rejects a format that is not in the list.
func oneOf(formats, format string) error {
	if slices.Contains(strings.Split(formats, ", "), format) {
		return nil
	}
	return fmt.Errorf("unknown format %q; the formats are %s", format, formats)
}

// notEmpty rejects an empty list.
func notEmpty(c *cobra.Command, flag string, list []string) error {
	if c.Flags().Changed(flag) && len(list) == 0 {
		return usage(fmt.Errorf("--%s is empty; leave it out, or name one", flag))
	}
	return nil
}

// wrongFlag describes what is wrong with a flag in one sentence, with a hint.
func wrongFlag(c *cobra.Command, err error) error {
	help := c.CommandPath() + " --help lists the flags"
	var unknown *pflag.NotExistError
	if errors.As(err, &unknown) && len(unknown.GetSpecifiedShortnames()) > 1 {
		return usage(fmt.Errorf("unknown flag -%s; long flags begin with two dashes, and %s", unknown.GetSpecifiedShortnames(), help))
	}
	var value *pflag.InvalidValueError
	if errors.As(err, &value) && kinds[value.GetFlag().Value.Type()] != "" {
		flag := value.GetFlag()
		text := value.GetValue()
		if text == "" {
			text = `""`
		}
		return usage(fmt.Errorf("--%s %s is %s", flag.Name, text, kinds[flag.Value.Type()]))
	}
	return usage(fmt.Errorf("%w; %s", err, help))
}

// refuseTopics makes the commands that cobra adds fail where they would print help and succeed: the output
// would be taken for a completion script.
func refuseTopics(root *cobra.Command) {
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	for _, c := range root.Commands() {
		switch c.Name() {
		case "help":
			c.Args = func(_ *cobra.Command, args []string) error {
				if found, rest, err := root.Find(args); err != nil || found == root && len(rest) > 0 {
					return usage(fmt.Errorf("no command %q; bench --help lists the commands", strings.Join(args, " ")))
				}
				return nil
			}
		case "completion":
			c.Args = cobra.ArbitraryArgs
			c.RunE = func(c *cobra.Command, args []string) error {
				var shells []string
				for _, s := range c.Commands() {
					shells = append(shells, s.Name())
				}
				there := "there is " + strings.Join(shells, ", ")
				if len(args) == 0 {
					return usage(errors.New("completion names no shell; " + there))
				}
				return usage(fmt.Errorf("completion %s: no script for this shell; %s", strings.Join(args, " "), there))
			}
		}
	}
}
