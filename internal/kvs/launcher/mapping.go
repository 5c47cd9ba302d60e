package launcher

import (
	"fmt"
	"strings"
)

// parseMapping reads the host of each of size ranks. The text is
//
//	(vector,(FIRST,HOSTS,EACH),...)
//
// where each block places EACH ranks on each of HOSTS hosts from number FIRST on, and the blocks are
// repeated until all ranks are placed.
func parseMapping(text string, size int) ([]int, error) {
	bad := fmt.Errorf("the places of ranks %.80q cannot be read", text)
	inner, begins := strings.CutPrefix(strings.ReplaceAll(text, " ", ""), "(vector,")
	inner, ends := strings.CutSuffix(inner, ")")
	if !begins || !ends {
		return nil, bad
	}
	var blocks [][3]int
	for inner != "" {
		var b [3]int
		end := strings.IndexByte(inner, ')')
		if end < 0 {
			return nil, bad
		}
		n, err := fmt.Sscanf(inner[:end+1], "(%d,%d,%d)", &b[0], &b[1], &b[2])
		if n != 3 || err != nil || b[0] < 0 || b[0] > size || b[1] < 1 || b[2] < 1 {
			return nil, bad
		}
		blocks = append(blocks, b)
		inner = strings.TrimPrefix(inner[end+1:], ",")
	}
	if len(blocks) == 0 {
		return nil, bad
	}
	var hosts []int
	for {
		for _, b := range blocks {
			for host := b[0]; host < b[0]+b[1]; host++ {
				for range b[2] {
					if hosts = append(hosts, host); len(hosts) == size {
						return hosts, nil
					}
				}
			}
		}
	}
}
