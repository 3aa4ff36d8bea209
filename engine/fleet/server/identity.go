package server

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"math/big"
	"os"
	"path/filepath"
	"time"

	"atoll/store/whole"
)

// Identity is the certificate of a server with its key. Machines know it by its
// SHA-256, which their invite holds: no authority signs it.
type Identity struct {
	Certificate tls.Certificate
	Print       []byte // SHA-256
}

// lifetime of a certificate: a fleet outlives no machine by more.
const lifetime = 10 * 365 * 24 * time.Hour

// IdentityOf reads the identity of a state directory, and makes it the first
// time.
func IdentityOf(state string, now time.Time) (Identity, error) {
	path := filepath.Join(Dir(state), "server.pem")
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		if data, err = newIdentity(now); err == nil {
			data, err = layIdentity(path, data)
		}
	}
	if err != nil {
		return Identity{}, fmt.Errorf("the identity of the fleet's server: %w", err)
	}
	cert, err := tls.X509KeyPair(data, data)
	if err != nil {
		return Identity{}, fmt.Errorf("the identity of the fleet's server in %s: %w", path, err)
	}
	print := sha256.Sum256(cert.Certificate[0])
	return Identity{cert, print[:]}, nil
}

// layIdentity writes a new identity, unless another process was faster, and
// returns the one that counts.
func layIdentity(path string, data []byte) ([]byte, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, err
	}
	if err := whole.Write(path, whole.Options{New: true, Sync: true}, whole.Bytes(data)); err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, err
	}
	return os.ReadFile(path)
}

// newIdentity makes a certificate that signs itself, and its key, as PEM.
func newIdentity(now time.Time) ([]byte, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	serial, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 120))
	if err != nil {
		return nil, err
	}
	// A clock that is wrong does not matter: the print is what is compared.
	form := x509.Certificate{
		SerialNumber: serial, Subject: pkix.Name{CommonName: "atoll fleet"}, DNSNames: []string{"atoll"},
		NotBefore: now.Add(-lifetime), NotAfter: now.Add(lifetime),
		KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	cert, err := x509.CreateCertificate(rand.Reader, &form, &form, &key.PublicKey, key)
	if err != nil {
		return nil, err
	}
	secret, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return nil, err
	}
	return append(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: cert}),
		pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: secret})...), nil
}
