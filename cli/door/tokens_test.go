package door_test

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"atoll/cli/door"
	"atoll/store/record"
)

const (
	secretOfAnn = "0123456789abcdef-ann"
	secretOfBen = "0123456789abcdef-ben"
)

// tokenFile writes a file of tokens that only its owner can read.
func tokenFile(t *testing.T, text string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "tokens")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

func TestTokensComeFromARegularFile(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{pipe, t.TempDir(), "/dev/null"} {
		if _, err := door.OpenTokens(path, time.Now); err == nil || !strings.Contains(err.Error(), path+" is no regular file") {
			t.Errorf("%s: %v", path, err)
		}
	}
	there := filepath.Join(t.TempDir(), "tokens") // a link to one is one
	if err := os.Symlink(tokenFile(t, "ann look "+secretOfAnn), there); err != nil {
		t.Fatal(err)
	}
	if _, err := door.OpenTokens(there, time.Now); err != nil {
		t.Error(err)
	}
}

func TestAFileOfTokensIsReadStrictly(t *testing.T) {
	for name, tc := range map[string]struct {
		text string
		mode os.FileMode
		says string // "": it is taken
	}{
		"a line for each, with remarks and empty lines": {"# who may come in\n\nann look " + secretOfAnn + "\n  ben\tadmin\t" + secretOfBen + "\n", 0o600, ""},
		"a file without a last line end":                {"ann decide " + secretOfAnn, 0o400, ""},
		"nobody is named":                               {"# nobody\n", 0o600, "names nobody"},
		"an empty file":                                 {"", 0o600, "names nobody"},
		"a file that others can read":                   {"ann look " + secretOfAnn, 0o644, "chmod 600"},
		"a file that the group can write":               {"ann look " + secretOfAnn, 0o620, "chmod 600"},
		"a word is missing":                             {"ann " + secretOfAnn, 0o600, ":1: write NAME ROLE TOKEN"},
		"a word too many":                               {"# two\nann look " + secretOfAnn + " x", 0o600, ":2: write NAME ROLE TOKEN"},
		"a role that is none":                           {"ann king " + secretOfAnn, 0o600, `"king" is no role: write look, decide, admin`},
		"the role of those who have none":               {"ann nobody " + secretOfAnn, 0o600, "is no role"},
		"a secret that can be guessed":                  {"ann look hunter2", 0o600, "could be guessed"},
		"a name with a control character":               {"a\x1b[2Jnn look " + secretOfAnn, 0o600, "no screen shows"},
		"a secret that two have":                        {"ann look " + secretOfAnn + "\nben admin " + secretOfAnn, 0o600, ":2: ben has the token of ann"},
		"a person with two machines":                    {"ann look " + secretOfAnn + "\nann look " + secretOfBen, 0o600, ""},
		"a name with two roles":                         {"ann look " + secretOfAnn + "\nann admin " + secretOfBen, 0o600, ":2: ann has the role look already"},
	} {
		t.Run(name, func(t *testing.T) {
			file := tokenFile(t, tc.text)
			if err := os.Chmod(file, tc.mode); err != nil {
				t.Fatal(err)
			}
			_, err := door.OpenTokens(file, time.Now)
			if tc.says == "" && err != nil || tc.says != "" && (err == nil || !strings.Contains(err.Error(), tc.says)) {
				t.Errorf("got %v, want %q", err, tc.says)
			}
			if err != nil && strings.Contains(err.Error(), "0123456789") {
				t.Errorf("the error tells a secret: %v", err)
			}
		})
	}
	if _, err := door.OpenTokens(filepath.Join(t.TempDir(), "none"), time.Now); err == nil {
		t.Error("a file that is not there is taken")
	}
}

func TestAFileOfTokensThatChangesCountsASecondLater(t *testing.T) {
	file := tokenFile(t, "ann look "+secretOfAnn+"\n")
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	tokens, err := door.OpenTokens(file, func() time.Time { return now })
	if err != nil {
		t.Fatal(err)
	}
	is := func(what, secret string, want door.Caller) {
		t.Helper()
		got, ok := tokens.Caller(secret)
		if got != want || ok != (want != door.Caller{}) {
			t.Errorf("%s: got %+v %v, want %+v", what, got, ok, want)
		}
	}
	nobody := door.Caller{}
	ann, ben := door.Caller{Name: "ann", Role: door.Look}, door.Caller{Name: "ben", Role: door.Admin}
	is("who is named", secretOfAnn, ann)
	is("who is not", secretOfBen, nobody)
	is("no secret", "", nobody)
	is("the beginning of one", secretOfAnn[:16], nobody)

	if err := os.WriteFile(file, []byte("ben admin "+secretOfBen+" \n"), 0o600); err != nil {
		t.Fatal(err)
	}
	is("as long as the file was looked at just now", secretOfAnn, ann)
	now = now.Add(time.Second + 1)
	is("who came", secretOfBen, ben)
	is("who went", secretOfAnn, nobody)

	if err := os.Chmod(file, 0o644); err != nil {
		t.Fatal(err)
	}
	now = now.Add(time.Second + 1)
	is("when others can read the file", secretOfBen, nobody)
	if err := os.Chmod(file, 0o600); err != nil {
		t.Fatal(err)
	}
	now = now.Add(time.Second + 1)
	is("when they cannot any more", secretOfBen, ben)

	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	now = now.Add(time.Second + 1)
	is("when the file is gone", secretOfBen, nobody)
}

func TestARoleHasItsVerbsAndThoseOfTheRolesBelow(t *testing.T) {
	steer := []record.Verb{
		record.Approve, record.Reject, record.Restore, record.Freeze, record.Boost, record.Release, record.Pin, record.Unpin, record.Measure, record.Pause,
		record.Resume, record.Cancel, record.Retry, record.Prioritise, record.Refit, record.StartJob, record.WriteNote, record.Undo, record.Redo,
	}
	rule := []record.Verb{record.Set, record.Stop, record.Inject, record.Promote}
	for _, tc := range []struct {
		role        string
		steer, rule bool
	}{{"look", false, false}, {"decide", true, false}, {"admin", true, true}} {
		t.Run(tc.role, func(t *testing.T) {
			role, err := door.ParseRole(tc.role)
			if err != nil || role.String() != tc.role {
				t.Fatal(role, err)
			}
			for _, v := range steer {
				if role.May(v) != tc.steer {
					t.Errorf("%s: %v", v, !tc.steer)
				}
			}
			for _, v := range rule {
				if role.May(v) != tc.rule {
					t.Errorf("%s: %v", v, !tc.rule)
				}
			}
		})
	}
}
