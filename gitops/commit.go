package gitops

import (
	"bytes"
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/go-git/go-git/v5/plumbing"

	"atoll/store/record"
)

// CommitSpec is all that goes into a commit object. Equal specs make equal
// commits. Time is kept to the second and in UTC; author and committer are
// the same person.
type CommitSpec struct {
	Tree        record.Hash
	Parents     []record.Hash
	Message     string
	AuthorName  string
	AuthorEmail string
	Time        time.Time
}

// CommitInfo is what a commit object says.
type CommitInfo struct {
	Tree    record.Hash
	Parents []record.Hash
	Author  string    // "Name <mail>"
	Time    time.Time // of the committer
	Message string
}

// WriteCommit stores a commit. Its tree and parents must be in the store.
func (r *Repo) WriteCommit(ctx context.Context, s CommitSpec) (record.Hash, error) {
	if strings.IndexByte(s.Message, 0) >= 0 {
		return record.Hash{}, fmt.Errorf("write commit: %w: the message has a zero byte", ErrObject)
	}
	data := s.encode()
	var h record.Hash
	err := r.use(ctx, func(o *objects) error {
		for _, need := range append([]record.Hash{s.Tree}, s.Parents...) {
			if ok, err := o.has(need); err != nil || !ok {
				return fmt.Errorf("tree or parent %s: %w", need, orNotFound(err))
			}
		}
		var err error
		h, err = o.write(plumbing.CommitObject, data)
		return err
	})
	if err != nil {
		return record.Hash{}, fmt.Errorf("write commit: %w", err)
	}
	return h, nil
}

func orNotFound(err error) error {
	if err == nil {
		return ErrNotFound
	}
	return err
}

// encode writes the commit object.
func (s CommitSpec) encode() []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "tree %s\n", s.Tree)
	for _, p := range s.Parents {
		fmt.Fprintf(&b, "parent %s\n", p)
	}
	who := fmt.Sprintf("%s <%s> %d +0000", person(s.AuthorName, "atoll"), person(s.AuthorEmail, "atoll@localhost"), max(s.Time.Unix(), 0))
	fmt.Fprintf(&b, "author %s\ncommitter %s\n", who, who)
	b.WriteByte('\n')
	b.WriteString(strings.ToValidUTF8(s.Message, "\ufffd"))
	if !strings.HasSuffix(s.Message, "\n") {
		b.WriteByte('\n')
	}
	return b.Bytes()
}

// person removes from a name what would end it early in a commit object.
func person(s, otherwise string) string {
	s = strings.Map(func(c rune) rune {
		if c < ' ' || c == '<' || c == '>' || c == 0x7f {
			return -1
		}
		return c
	}, s)
	s = strings.Trim(s, " .,:;\"'\\")
	if s == "" {
		return otherwise
	}
	return s
}

// Commit reads a commit object.
func (r *Repo) Commit(ctx context.Context, h record.Hash) (CommitInfo, error) {
	data, err := r.object(ctx, plumbing.CommitObject, h)
	if err != nil {
		return CommitInfo{}, err
	}
	info, err := parseCommit(data)
	if err != nil {
		return CommitInfo{}, fmt.Errorf("read commit %s: %w", h, err)
	}
	return info, nil
}

// parseCommit reads the headers that matter and skips the others, signatures
// of several lines included.
func parseCommit(data []byte) (CommitInfo, error) {
	var c CommitInfo
	head, message, _ := bytes.Cut(data, []byte("\n\n"))
	c.Message = string(message)
	for line := range strings.SplitSeq(string(head), "\n") {
		key, value, _ := strings.Cut(line, " ")
		var err error
		switch key {
		case "tree":
			c.Tree, err = record.ParseHash(value)
		case "parent":
			var p record.Hash
			p, err = record.ParseHash(value)
			c.Parents = append(c.Parents, p)
		case "author":
			c.Author, _ = signature(value)
		case "committer":
			_, c.Time = signature(value)
		}
		if err != nil {
			return c, fmt.Errorf("%w: %q in a commit", ErrObject, line)
		}
	}
	if c.Tree.IsZero() {
		return c, fmt.Errorf("%w: a commit without a tree", ErrObject)
	}
	return c, nil
}

// signature splits "Name <mail> 1700000000 +0100". A time that cannot be read
// is 1970, as git itself shows it.
func signature(s string) (who string, at time.Time) {
	end := strings.LastIndexByte(s, '>')
	if end < 0 {
		return s, time.Unix(0, 0).UTC()
	}
	who = s[:end+1]
	f := strings.Fields(s[end+1:])
	if len(f) == 0 {
		return who, time.Unix(0, 0).UTC()
	}
	sec, err := strconv.ParseInt(f[0], 10, 64)
	if err != nil {
		sec = 0
	}
	zone := time.UTC
	if len(f) > 1 {
		if z, err := time.Parse("-0700", f[1]); err == nil {
			_, offset := z.Zone()
			zone = time.FixedZone("", offset)
		}
	}
	return who, time.Unix(sec, 0).In(zone)
}

// WithNote stores a commit like another one whose message holds a note below its
// subject. Equal notes make equal commits.
func (r *Repo) WithNote(ctx context.Context, commit record.Hash, note string) (record.Hash, error) {
	c, err := r.Commit(ctx, commit)
	if err != nil {
		return record.Hash{}, err
	}
	name, mail, _ := strings.Cut(strings.TrimSuffix(c.Author, ">"), "<")
	return r.WriteCommit(ctx, CommitSpec{Tree: c.Tree, Parents: c.Parents, Message: noted(c.Message, note), AuthorName: name, AuthorEmail: mail, Time: c.Time})
}
