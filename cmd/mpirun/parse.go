package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/pflag"
)

// parseFlags parses flags up to the program's name and returns the words from there on. It accepts what
// launchers of MPI programs have always accepted but the flag library does not: long names behind a single
// dash, and flags with two values.
func parseFlags(fs *pflag.FlagSet, words []string) (rest []string, err error) {
	for len(words) > 0 {
		word := words[0]
		if word == "--" {
			return words[1:], nil
		}
		if len(word) < 2 || word[0] != '-' {
			return words, nil
		}
		if name, long := longName(fs, word); long {
			words, err = parseLong(fs, name, words)
		} else {
			words, err = parseShort(fs, words)
		}
		if err != nil {
			return nil, err
		}
	}
	return nil, nil
}

// longName strips the dashes of a word that is a flag's long name.
func longName(fs *pflag.FlagSet, word string) (name string, long bool) {
	if strings.HasPrefix(word, "--") {
		return word[2:], true
	}
	name = word[1:]
	bare, _, _ := strings.Cut(name, "=")
	return name, len(bare) > 1 && fs.Lookup(bare) != nil
}

// parseLong parses the flag called name, with or without =value, which is the first of the words, and
// returns the words after it.
func parseLong(fs *pflag.FlagSet, name string, words []string) ([]string, error) {
	bare, value, hasValue := strings.Cut(name, "=")
	f := fs.Lookup(bare)
	if f == nil {
		return nil, unknown(words[0])
	}
	spelled, _, _ := strings.Cut(words[0], "=")
	words = words[1:]
	if !hasValue {
		if f.NoOptDefVal != "" {
			return words, set(f, spelled, f.NoOptDefVal, false)
		}
		if len(words) == 0 {
			return nil, fmt.Errorf("%s needs a value", spelled)
		}
		value, words = words[0], words[1:]
	}
	if f.Annotations[twoValues] != nil && !strings.Contains(value, "=") {
		if len(words) == 0 {
			return nil, fmt.Errorf("%s %s: needs two values, a name and what it shall be", spelled, value)
		}
		value, words = value+"="+words[0], words[1:]
	}
	return words, set(f, spelled, value, true)
}

// parseShort parses the letters of the first word, of which the last may take a value.
func parseShort(fs *pflag.FlagSet, words []string) ([]string, error) {
	word, letters := words[0], words[0][1:]
	words = words[1:]
	for letters != "" {
		letter := letters[:1]
		letters = letters[1:]
		f := fs.ShorthandLookup(letter)
		if f == nil {
			return nil, unknown("-" + letter + letters)
		}
		if f.NoOptDefVal != "" {
			if err := set(f, "-"+letter, f.NoOptDefVal, false); err != nil {
				return nil, err
			}
			continue
		}
		value := strings.TrimPrefix(letters, "=")
		if letters == "" {
			if len(words) == 0 {
				return nil, fmt.Errorf("-%s needs a value", letter)
			}
			value, words = words[0], words[1:]
		}
		err := set(f, "-"+letter, value, true)
		if err != nil && len(value) > 0 && len(letters) == len(value) && !errors.Is(err, errTwice) {
			// The rest of the word is not valid as the letter's value, so the word is probably meant as a
			// long name behind a single dash.
			err = unknown(word)
		}
		return words, err
	}
	return words, nil
}

// set sets a flag and describes what is wrong with the value.
func set(f *pflag.Flag, spelled, value string, shown bool) error {
	err := f.Value.Set(value)
	switch {
	case err == nil:
		return nil
	case errors.Is(err, errHelp), errors.Is(err, errVersion):
		if shown && value != "true" {
			return fmt.Errorf("%s=%s: the flag takes no value", spelled, value)
		}
		return err
	case f.Value.Type() == "bool" && !errors.Is(err, errTwice):
		return fmt.Errorf("%s=%s: give true or false", spelled, value)
	case shown:
		return fmt.Errorf("%s %s: %w", spelled, value, err)
	}
	return fmt.Errorf("%s: %w", spelled, err)
}

// unknown is the error for an unknown flag, as it was written.
type unknown string

func (word unknown) Error() string {
	return fmt.Sprintf("unknown flag %s; mpirun --help lists the flags, and those of the program go behind its name", string(word))
}
