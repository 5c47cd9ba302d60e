package mpi

import "sync"

// An asking is the memory for one request to a server and its answer.
type asking struct {
	r                  [1]request
	a                  [1]answer
	answered, followed Request
	sent               [3]Request // r, and its data
	waits              [3]*Request
	next               *asking
}

// askings are the memory that is not in use, and the labels of waits for answers.
type askings struct {
	mu     sync.Mutex
	free   *asking
	labels map[string]string // by call
	name   string            // of the window, in the labels
}

// take returns memory for a request of a call, and the label of its waits.
func (s *askings) take(call, window string) (k *asking, label string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.name != window || s.labels == nil {
		s.labels, s.name = map[string]string{}, window
	}
	if label = s.labels[call]; label == "" {
		label = noted(call, "window "+window)
		s.labels[call] = label
	}
	if k = s.free; k == nil {
		return new(asking), label
	}
	s.free = k.next
	return k, label
}

// keep takes back the memory of a request that has been answered, or that no transfer uses any more.
func (s *askings) keep(k *asking) {
	*k = asking{}
	s.mu.Lock()
	k.next, s.free = s.free, k
	s.mu.Unlock()
}

// ask sends a request with data, and returns when the answer has arrived, with the data
// that follows it in buf. It begins all transfers at once: a rank that answers others
// meanwhile does not delay them. If nothing fails, it allocates nothing.
func (v *served) ask(call string, target int, r request, buf []byte, data ...[]byte) error {
	if v.attended != nil && target == v.c.rank { // messages to itself take no time, in which others could change its part
		if err := v.attended.pass(v.c); err != nil {
			return err
		}
	}
	r.Tag, r.From = v.nextTag(), uint32(v.c.rank)
	k, label := v.asks.take(call, v.user.name)
	k.r[0] = r
	k.answered = irecv(v.c, k.a[:], target, int(r.Tag)+1)
	k.answered.label(label)
	if buf != nil {
		k.followed = irecv(v.c, buf, target, int(r.Tag)+1)
		k.followed.label(label)
	}
	if err := v.exchange(k, call, target, data); err != nil {
		k.answered.withdraw() // its memory is not used again: the answer may still come
		k.followed.withdraw()
		return err
	}
	v.asks.keep(k)
	return nil
}

// nextTag returns the tag of the data of a new request.
func (v *served) nextTag() uint32 { return firstData + v.tag.Add(1)%(1<<29)*2 }

// exchange sends the request of k and its data, and waits for the answer.
func (v *served) exchange(k *asking, call string, target int, data [][]byte) error {
	r := k.r[0]
	k.sent[0] = isend(v.c, k.r[:], target, tagRequest)
	for i, d := range data {
		k.sent[i+1] = isend(v.c, d, target, int(r.Tag))
	}
	for i := range k.waits {
		k.waits[i] = &k.sent[i]
	}
	if err := WaitAll(k.waits[:]...); err != nil {
		return err
	}
	if r.What == askLock {
		if err := v.relent(call, &k.answered, target, r); err != nil {
			return err
		}
	}
	if _, err := k.answered.Wait(); err != nil {
		return err
	}
	if err := k.a[0].err(); err != nil {
		return err
	}
	_, err := k.followed.Wait()
	return err
}
