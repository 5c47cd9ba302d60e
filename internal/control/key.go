package control

import (
	"crypto/ed25519"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"math/big"
)

// keyBytes is the length of a key.
const keyBytes = 32

// A Key is the secret of one job.
type Key []byte

// NewKey returns the key of a new job.
func NewKey() Key {
	k := make(Key, keyBytes)
	_, _ = rand.Read(k) // never fails
	return k
}

// For derives a key for another purpose, which does not reveal this one.
func (k Key) For(use string) []byte {
	m := hmac.New(sha256.New, k)
	m.Write([]byte(use))
	return m.Sum(nil)
}

// errStranger reports a peer that does not know the key.
var errStranger = errors.New("the other side does not know the key of the job")

// config returns the TLS configuration by which both sides prove that they know the key.
func (k Key) config() (*tls.Config, error) {
	private := ed25519.NewKeyFromSeed(k.For("control"))
	public := private.Public().(ed25519.PublicKey)
	template := &x509.Certificate{SerialNumber: big.NewInt(1)}
	cert, err := x509.CreateCertificate(rand.Reader, template, template, public, private)
	if err != nil {
		return nil, err
	}
	return &tls.Config{
		MinVersion:         tls.VersionTLS13,
		Certificates:       []tls.Certificate{{Certificate: [][]byte{cert}, PrivateKey: private}},
		ClientAuth:         tls.RequireAnyClientCert,
		InsecureSkipVerify: true, // there are no names: a peer that has the key is trusted
		VerifyConnection: func(s tls.ConnectionState) error {
			if len(s.PeerCertificates) == 0 || !public.Equal(s.PeerCertificates[0].PublicKey) {
				return errStranger
			}
			return nil
		},
		SessionTicketsDisabled: true,
	}, nil
}
