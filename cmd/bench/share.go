package main

import (
	"io"
	"os/exec"
	"strings"

	"github.com/spf13/cobra"

	"rhinet/bench/share"
)

// shareCommand counts how much of the communication library was written for each NIC.
func shareCommand(out io.Writer) *cobra.Command {
	var tree, format string
	c := &cobra.Command{
		Use: "share", Short: "Count the lines of code written for each NIC, next to the figures of the original library", Args: noArgs,
		RunE: func(*cobra.Command, []string) error {
			if err := oneOf(share.Formats, format); err != nil {
				return usage(err)
			}
			if tree == "" {
				tree = moduleFolder()
			}
			rows, err := share.Count(tree)
			if err != nil {
				return err
			}
			return share.Write(out, format, rows)
		},
	}
	c.Flags().StringVar(&tree, "tree", "", "folder of the source (default: that of the module here)")
	c.Flags().StringVar(&format, "format", "table", "output format: "+share.Formats)
	return c
}

// moduleFolder returns the folder with the source of this program, if it is known; else the current folder.
func moduleFolder() string {
	text, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "rhinet").Output()
	if dir := strings.TrimSpace(string(text)); err == nil && dir != "" {
		return dir
	}
	return "."
}
