package fabric

// Seal is a value that hardly any other content of the words has. It is no
// secret: it tells what was overwritten, not what was forged.
func Seal(words ...uint64) (x uint64) {
	for _, w := range words {
		x = (x + 0x9e3779b97f4a7c15 ^ w) * 0xff51afd7ed558ccd
		x ^= x >> 32
	}
	return x
}
