package server

import (
	"crypto/rand"
	"crypto/subtle"
	"crypto/tls"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"time"

	nats "github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nkeys"

	"atoll/engine/fleet/wire"
)

// Options say how a server listens.
type Options struct {
	State    string // the state directory
	Address  string // host:port; port 0: any
	Subjects wire.Subjects
	Now      func() time.Time
	// Refused hears what the server kept a machine from. It does not wait. nil:
	// nobody hears it.
	Refused func(machine, why string)
}

// Server is a NATS server with JetStream in this process. Close it.
type Server struct {
	nats    *nats.Server
	members Members
	subject wire.Subjects
	secret  string // of the coordinator, new in every process

	mu      sync.Mutex
	clients map[string][]client // connections by member
}

// client is a connection of a machine.
type client struct {
	id           uint64
	key, session string
}

// ready is how long a server may take to start.
const ready = 10 * time.Second

// Start starts a server.
func Start(o Options) (*Server, error) {
	host, portText, err := net.SplitHostPort(o.Address)
	if err != nil {
		return nil, fmt.Errorf("listen for the fleet: %w; write listen:HOST:PORT, such as listen:0.0.0.0:7422", err)
	}
	port, err := strconv.ParseUint(portText, 10, 16)
	if err != nil {
		return nil, fmt.Errorf("listen for the fleet: port %q is no number up to 65535", portText)
	}
	bound := int(port)
	if bound == 0 {
		bound = nats.RANDOM_PORT
	}
	id, err := IdentityOf(o.State, o.Now())
	if err != nil {
		return nil, err
	}
	var secret [16]byte
	if _, err := rand.Read(secret[:]); err != nil {
		return nil, err
	}
	dir := filepath.Join(Dir(o.State), "queue")
	if err := os.RemoveAll(dir); err != nil { // of a process that died
		return nil, fmt.Errorf("clear the queue of the fleet: %w", err)
	}
	s := &Server{members: MembersOf(o.State), subject: o.Subjects, secret: hex.EncodeToString(secret[:]), clients: map[string][]client{}}
	s.nats, err = nats.NewServer(&nats.Options{
		ServerName: "atoll", Host: host, Port: bound, NoLog: true, NoSigs: true,
		JetStream: true, StoreDir: dir, JetStreamMaxMemory: 1 << 30, JetStreamMaxStore: 1 << 20,
		MaxPayload: wire.MaxMessage, MaxControlLine: 4096, MaxPending: 16 << 20, PingInterval: 10 * time.Second, MaxPingsOut: 2,
		TLS: true, TLSConfig: &tls.Config{Certificates: []tls.Certificate{id.Certificate}, MinVersion: tls.VersionTLS13}, TLSTimeout: 10, AuthTimeout: 12,
		AlwaysEnableNonce: true, CustomClientAuthentication: s,
	})
	if err != nil {
		return nil, fmt.Errorf("start the fleet's server: %w", err)
	}
	if o.Refused != nil {
		s.nats.SetLogger(refusals{s, o.Refused}, false, false)
	}
	go s.nats.Start()
	if !s.nats.ReadyForConnections(ready) {
		s.Close()
		return nil, fmt.Errorf("listen for the fleet at %s: the address cannot be used, or the machine is very slow; choose another port", o.Address)
	}
	return s, nil
}

// Address is where machines connect to: host:port as it is bound.
func (s *Server) Address() string {
	if a := s.nats.Addr(); a != nil {
		return a.String()
	}
	return ""
}

// InProcess is the server for a connection that takes no network.
func (s *Server) InProcess() *nats.Server { return s.nats }

// Credentials are those of the coordinator.
func (s *Server) Credentials() (user, password string) { return coordinator, s.secret }

const coordinator = "coordinator"

// Close ends the server and its connections.
func (s *Server) Close() {
	s.nats.Shutdown()
	s.nats.WaitForShutdown()
}

// Check implements the server's authentication: the coordinator by the secret of
// this process, everybody else by the key of an invite.
func (s *Server) Check(c nats.ClientAuthentication) bool {
	o := c.GetOpts()
	if o.Username == coordinator {
		if subtle.ConstantTimeCompare([]byte(o.Password), []byte(s.secret)) != 1 {
			return false
		}
		c.RegisterUser(&nats.User{Username: coordinator})
		return true
	}
	m, err := s.member(o.Nkey, o.Sig, c.GetNonce())
	if err != nil {
		return false
	}
	publish, subscribe := s.subject.Permissions(m.Name)
	c.RegisterUser(&nats.User{Username: m.Name, Permissions: &nats.Permissions{
		Publish: &nats.SubjectPermission{Allow: publish}, Subscribe: &nats.SubjectPermission{Allow: subscribe},
	}})
	s.mu.Lock()
	defer s.mu.Unlock()
	list := s.clients[m.Name]
	if len(list) >= maxClients { // those that came first are gone, or will be
		list = slices.Clone(list[1:])
	}
	s.clients[m.Name] = append(list, client{c.GetID(), m.Key, o.Name})
	return true
}

// maxClients is how many connections of one machine are remembered.
const maxClients = 64

// errKey reports a key that nobody was given, or that was taken back.
var errKey = errors.New("the key is not of this fleet")

// member is whose key signed the server's nonce.
func (s *Server) member(key, signature string, nonce []byte) (Member, error) {
	list, err := s.members.List()
	if err != nil {
		return Member{}, err
	}
	m, ok := of(list, key)
	if !ok || m.State == Dropped {
		return Member{}, errKey
	}
	signed, err := base64.RawURLEncoding.DecodeString(signature)
	if err != nil {
		if signed, err = base64.StdEncoding.DecodeString(signature); err != nil {
			return Member{}, errKey
		}
	}
	public, err := nkeys.FromPublicKey(key)
	if err != nil {
		return Member{}, err
	}
	return m, public.Verify(nonce, signed)
}

// Disconnect ends the connections of a machine that were made with another key than this.
func (s *Server) Disconnect(name, key string) {
	s.mu.Lock()
	var others []client
	s.clients[name] = slices.DeleteFunc(s.clients[name], func(c client) bool {
		if c.key != key {
			others = append(others, c)
		}
		return c.key != key
	})
	s.mu.Unlock()
	for _, c := range others { // without the lock: the server holds some of its own when it tells of a refusal
		_ = s.nats.DisconnectClientByID(c.id) // it may be gone already
	}
}

// Left reports whether the worker of a session was connected, and is not any more. A
// worker names its session as it connects.
func (s *Server) Left(name, session string) bool {
	s.mu.Lock()
	list := slices.Clone(s.clients[name])
	s.mu.Unlock()
	known := false
	for _, c := range list {
		if c.session != session {
			continue
		}
		if known = true; s.nats.GetClient(c.id) != nil {
			return false
		}
	}
	return known
}

// NewKey makes the key of a machine: the seed for the machine, the public half
// for the list.
func NewKey() (seed, public string, err error) {
	pair, err := nkeys.CreateUser()
	if err != nil {
		return "", "", err
	}
	secret, err := pair.Seed()
	if err != nil {
		return "", "", err
	}
	public, err = pair.PublicKey()
	return string(secret), public, err
}
