package wire

import "net"

// streamDepth is how many messages wait for the end of a connection to read them.
const streamDepth = 512

// Stream is one end of a connection between a client and the model's gateway, whose bytes
// come from the other end as [Pipe] messages. Whose lock guards the methods that say so is
// for the owner to choose; one goroutine runs Pour.
type Stream struct {
	Conn net.Conn
	in   chan []byte // closed: there is no more
	done bool        // in is closed
	next uint64      // message that is to come
}

// NewStream is the end of a connection, to which nothing came yet.
func NewStream(conn net.Conn) *Stream { return &Stream{Conn: conn, in: make(chan []byte, streamDepth)} }

// Take hands the connection what came. It does not block. False: the connection is closed,
// for a message before was lost, the last one had come, or who is there reads no more. The
// caller holds the lock.
func (s *Stream) Take(p *Pipe) bool {
	if p.Seq != s.next || s.done {
		s.Close()
		return false
	}
	s.next++
	if len(p.Data) > 0 {
		select {
		case s.in <- p.Data:
		default:
			s.Close()
			return false
		}
	}
	if p.End {
		s.end()
	}
	return true
}

// Close ends the connection. The caller holds the lock.
func (s *Stream) Close() {
	_ = s.Conn.Close()
	s.end()
}

func (s *Stream) end() {
	if !s.done {
		s.done = true
		close(s.in)
	}
}

// Pour writes what comes to the connection, until there is no more or it takes no more.
func (s *Stream) Pour() error {
	for data := range s.in {
		if _, err := s.Conn.Write(data); err != nil {
			return err
		}
	}
	return nil
}
