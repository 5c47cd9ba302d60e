package output

import (
	"bytes"
	"strconv"
)

// keepBytes is the largest buffer that is kept for the next line.
const keepBytes = 256 << 10

// prefix is what --tag-output puts in front of the lines of a rank.
func prefix(rank int) []byte {
	return append(strconv.AppendInt([]byte{'['}, int64(rank), 10), "] "...)
}

// lastLineEnd returns the length of data up to and including its last newline.
func lastLineEnd(data []byte) int { return bytes.LastIndexByte(data, '\n') + 1 }

// tagLines appends data to text with prefix before every line, except before the first one if it continues
// a line.
func tagLines(text, prefix, data []byte, continues bool) []byte {
	for len(data) > 0 {
		end := bytes.IndexByte(data, '\n') + 1
		if end == 0 {
			end = len(data)
		}
		if !continues {
			text = append(text, prefix...)
		}
		continues = false
		text = append(text, data[:end]...)
		data = data[end:]
	}
	return text
}

// keep empties a buffer, and drops one that a long line has enlarged.
func keep(b []byte) []byte {
	if cap(b) > keepBytes {
		return nil
	}
	return b[:0]
}
