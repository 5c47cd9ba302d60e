package martini

// holdBytes is how much a transfer moves before it looks again whether the
// segment is still there, and so bounds how long a withdrawal waits (about
// 100 us).
const holdBytes = 1 << 20
