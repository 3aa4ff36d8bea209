package fleet

import (
	"crypto/tls"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nkeys"

	"atoll/engine/fleet/server"
	"atoll/engine/fleet/wire"
)

// told waits until the run was told something.
func (l *lab) told(what string) {
	l.t.Helper()
	for end := time.Now().Add(2 * time.Minute); !strings.Contains(l.listener.all(), what); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			l.t.Fatalf("%q is not told, but:\n%s", what, l.listener.all())
		}
	}
}

func TestWhatTheServerKeepsAMachineFromIsToldUnderItsName(t *testing.T) {
	l := newLab(t)
	h := l.join("bad")
	h.must(hello())
	own := wire.Subjects{}
	for range maxRefused {
		if err := h.nc.Publish(own.Jobs(wire.DefaultPool), []byte("{}")); err != nil {
			t.Fatal(err)
		}
		h.refused("a task of its own")
	}
	l.told("refused from bad: a message under a subject that is not its own")
	l.told("bad is set aside")
	nosy := l.join("nosy")
	nosy.must(hello())
	if _, err := nosy.nc.Subscribe(own.AllUp(), func(*nats.Msg) {}); err != nil {
		t.Fatal(err)
	}
	l.told("refused from nosy: to hear what is not told to it")
}

// wired speaks to a server as a machine, without a library that keeps it from anything.
func (l *lab) wired(name string) net.Conn {
	l.t.Helper()
	seed, public, err := server.NewKey()
	if err != nil {
		l.t.Fatal(err)
	}
	if err := l.members.Put(server.Member{Name: name, Key: public, State: server.Active}); err != nil {
		l.t.Fatal(err)
	}
	plain, err := net.Dial("tcp", l.Address())
	if err != nil {
		l.t.Fatal(err)
	}
	l.t.Cleanup(func() { _ = plain.Close() })
	line := make([]byte, 4096)
	n, err := plain.Read(line)
	if err != nil {
		l.t.Fatal(err)
	}
	_, nonce, ok := strings.Cut(string(line[:n]), `"nonce":"`)
	if !ok {
		l.t.Fatalf("the server greets with %s", line[:n])
	}
	nonce, _, _ = strings.Cut(nonce, `"`)
	conn := tls.Client(plain, &tls.Config{InsecureSkipVerify: true})
	pair, err := nkeys.FromSeed([]byte(seed))
	if err != nil {
		l.t.Fatal(err)
	}
	signed, err := pair.Sign([]byte(nonce))
	if err != nil {
		l.t.Fatal(err)
	}
	fmt.Fprintf(conn, "CONNECT {\"verbose\":false,\"nkey\":%q,\"sig\":%q,\"lang\":\"go\",\"version\":\"1\",\"protocol\":1}\r\nPING\r\n", public, encode(signed))
	if n, err = conn.Read(line); err != nil || !strings.Contains(string(line[:n]), "PONG") {
		l.t.Fatalf("it may not connect: %s, %v", line[:n], err)
	}
	return conn
}

func TestAMessageOfAHundredMegabytesEndsTheConnectionAndIsTold(t *testing.T) {
	l := newLab(t)
	fair := l.join("fair")
	fair.must(hello())
	conn := l.wired("bad")
	const size = 100 << 20
	fmt.Fprintf(conn, "PUB %s %d\r\n", wire.Subjects{}.Up("bad"), size)
	sent, chunk := 0, make([]byte, 1<<20)
	for sent < size {
		n, err := conn.Write(chunk)
		if sent += n; err != nil {
			break
		}
	}
	if sent >= size {
		t.Errorf("all of it is taken")
	}
	if _, err := io.Copy(io.Discard, conn); err != nil && errors.Is(err, io.EOF) {
		t.Error(err)
	}
	l.told("refused from bad: a message larger than any may be")
	if a := fair.must(wire.Ask{Kind: wire.AskBeat, Beat: &wire.Beat{}}); !a.OK {
		t.Errorf("others are answered %+v", a)
	}
}

// encode writes a signature as the server reads it.
func encode(b []byte) string { return base64.RawURLEncoding.EncodeToString(b) }
