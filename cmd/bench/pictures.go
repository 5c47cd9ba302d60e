package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"rhinet/bench/pictures"
)

// picturesCommand draws the operation of the network interfaces from their models.
func picturesCommand(out io.Writer) *cobra.Command {
	var dir string
	c := &cobra.Command{
		Use: "pictures", Short: "Draw a picture of each network interface from its model, as SVG", Args: noArgs,
		RunE: func(*cobra.Command, []string) error { return drawPictures(out, dir) },
	}
	c.Flags().StringVar(&dir, "dir", ".", "folder to write the files to, which must exist")
	return c
}

func drawPictures(out io.Writer, dir string) error {
	for _, p := range pictures.All() {
		svg, err := p.SVG()
		if err != nil {
			return err
		}
		file := filepath.Join(dir, p.Name+".svg")
		if err := os.WriteFile(file, svg, 0o644); err != nil {
			return err
		}
		fmt.Fprintln(out, file)
	}
	return nil
}
