package martini

// holdBytes is the number of bytes after which a transfer checks again that the segment is still
// there. It bounds how long a withdrawal waits (about 100 us).
const holdBytes = 1 << 20
