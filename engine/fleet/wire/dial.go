package wire

import (
	"bytes"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net/url"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nkeys"
)

// Server is where a fleet speaks: the address for the connection, how to sign in,
// and the name of the fleet.
type Server struct {
	URL      string
	Subjects Subjects
	Options  []nats.Option
	Shown    string // the address without secrets
}

// ParseServer reads the URL of a NATS server, such as nats://host:4222 or
// tls://user:password@host:4222?fleet=lab. Of its parameters, creds and nkey name
// files of credentials, and fleet tells fleets on one account apart.
func ParseServer(text string) (Server, error) {
	u, err := url.Parse(text)
	if err != nil || u.Host == "" || u.Scheme != "nats" && u.Scheme != "tls" && u.Scheme != "ws" && u.Scheme != "wss" {
		return Server{}, fmt.Errorf("the address of the fleet is neither an invite nor a URL such as nats://host:4222")
	}
	q, err := url.ParseQuery(u.RawQuery)
	if err != nil {
		return Server{}, fmt.Errorf("the address of the fleet: %w", err)
	}
	for name := range q {
		if name != "fleet" && name != "creds" && name != "nkey" {
			return Server{}, fmt.Errorf("the address of the fleet: it cannot say %q; it can say creds=FILE, nkey=FILE and fleet=NAME", name)
		}
	}
	s := Server{Subjects: Subjects{Fleet: q.Get("fleet")}}
	if s.Subjects.Fleet != "" {
		if CheckName(s.Subjects.Fleet) != nil {
			return s, fmt.Errorf("%q is no name for a fleet: use up to 40 of a-z, 0-9 and -", s.Subjects.Fleet)
		}
	}
	if file := q.Get("creds"); file != "" {
		s.Options = append(s.Options, nats.UserCredentials(file))
	}
	if file := q.Get("nkey"); file != "" {
		o, err := nats.NkeyOptionFromSeed(file)
		if err != nil {
			return s, fmt.Errorf("read the key %s: %w", file, err)
		}
		s.Options = append(s.Options, o)
	}
	u.RawQuery = ""
	s.URL = u.String()
	u.User = nil // a name and a password, or a token
	s.Shown = u.String()
	return s, nil
}

// Dial is the server of an invite: it is known by its certificate, and signed in
// to with the invite's key.
func (i Invite) Dial() (Server, error) {
	pair, err := nkeys.FromSeed([]byte(i.Seed))
	if err != nil {
		return Server{}, fmt.Errorf("%w: the key of the invite: %w", ErrMessage, err)
	}
	public, err := pair.PublicKey()
	if err != nil {
		return Server{}, fmt.Errorf("%w: the key of the invite: %w", ErrMessage, err)
	}
	pinned := &tls.Config{
		MinVersion: tls.VersionTLS13, ServerName: "atoll",
		// The certificate signs itself. It is compared with the invite's print
		// instead of being followed to an authority.
		InsecureSkipVerify: true,
		VerifyPeerCertificate: func(raw [][]byte, _ [][]*x509.Certificate) error {
			if len(raw) > 0 {
				if print := sha256.Sum256(raw[0]); bytes.Equal(print[:], i.Server) {
					return nil
				}
			}
			return errors.New("the server is not the one of the invite; ask for a new invite")
		},
	}
	return Server{
		URL: "tls://" + i.Address, Shown: i.Address, Subjects: Subjects{Fleet: i.Fleet},
		Options: []nats.Option{nats.Nkey(public, pair.Sign), nats.Secure(pinned)},
	}, nil
}

// Patient are the options of a connection that is never given up by itself.
func Patient() []nats.Option {
	return []nats.Option{
		nats.MaxReconnects(-1), nats.ReconnectWait(250 * time.Millisecond), nats.ReconnectJitter(100*time.Millisecond, 250*time.Millisecond),
		nats.PingInterval(5 * time.Second), nats.MaxPingsOutstanding(2), nats.ReconnectBufSize(-1), nats.Timeout(10 * time.Second),
	}
}
