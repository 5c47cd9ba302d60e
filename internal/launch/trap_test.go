package launch

import (
	"fmt"
	"os"
	"os/signal"
	"syscall"
)

// trap sets how a rank handles the signals that tell it to end: "ignore" does nothing, "say" prints them,
// "done" prints and ends with status 0.
func trap(how string) {
	c := make(chan os.Signal, 16)
	signal.Notify(c, syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT, syscall.SIGUSR1, syscall.SIGUSR2)
	go func() {
		for s := range c {
			if how != "ignore" {
				fmt.Println("got", s)
			}
			if how == "done" {
				os.Exit(0)
			}
		}
	}()
	fmt.Println("ready")
}
