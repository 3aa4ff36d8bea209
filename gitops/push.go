package gitops

import (
	"context"
	"fmt"
	"net/url"
	"os/exec"
	"regexp"
	"strings"
)

// Remote is a named remote of the user's repository.
type Remote struct {
	Name string
	URL  string // where it is pushed to, without user and password
	Host string // lower case; "" for a path on this machine
	Path string // of the project on the host, "owner/name"
}

// RemoteOf reads a remote of the user's repository as the user's own git does, with
// what their settings make of its address. One that does not exist is [ErrNotFound].
func RemoteOf(ctx context.Context, target Target, name string, env []string) (Remote, error) {
	if strings.HasPrefix(name, "-") {
		return Remote{}, fmt.Errorf("remote %q: %w", name, ErrNotFound)
	}
	out, err := userGit(ctx, target, env, "remote", "get-url", "--push", name)
	if err != nil {
		return Remote{}, fmt.Errorf("remote %q: %w; `git remote -v` lists them (%w)", name, ErrNotFound, err)
	}
	r := Remote{Name: name}
	r.URL, r.Host, r.Path = parseRemote(strings.TrimSpace(string(out)))
	return r, nil
}

// scp is the short form of an address by ssh: user@host:path.
var scp = regexp.MustCompile(`^(?:[^@/:]+@)?([^/:]+):([^/].*)$`)

// secret is who asks, in an address within a text.
var secret = regexp.MustCompile(`://[^/@\s]+@`)

// parseRemote takes an address apart. Secrets within it are not in what it returns.
func parseRemote(address string) (shown, host, path string) {
	if u, err := url.Parse(address); err == nil && u.Scheme != "" && u.Host != "" {
		host, path = strings.ToLower(u.Hostname()), u.Path
		u.User = nil
		shown = u.String()
	} else if m := scp.FindStringSubmatch(address); m != nil {
		shown, host, path = m[1]+":"+m[2], strings.ToLower(m[1]), m[2]
	} else {
		return address, "", ""
	}
	return shown, host, strings.TrimSuffix(strings.Trim(path, "/"), ".git")
}

// Push sends a branch of the user's repository to a remote, as the user's own git
// would: with their settings, credentials and hooks. A branch that the remote has
// already is refused with [ErrBranch]; nothing there is ever replaced.
func Push(ctx context.Context, target Target, remote, branch string, env []string) error {
	ref := "refs/heads/" + branch
	// The lease on a branch that is not there: it must not be.
	_, err := userGit(ctx, target, env, "push", "--porcelain", "--force-with-lease="+ref+":", "--", remote, ref+":"+ref)
	if err == nil {
		return nil
	}
	if strings.Contains(err.Error(), "stale info") {
		return fmt.Errorf("push %s: %w: %s has a branch of that name; choose another with --branch", branch, ErrBranch, remote)
	}
	return fmt.Errorf("push %s to %s: %w", branch, remote, err)
}

// userGit runs git in the user's repository as the user would in their terminal, but
// for questions.
func userGit(ctx context.Context, target Target, env []string, args ...string) ([]byte, error) {
	path, err := exec.LookPath("git")
	if err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, path, append([]string{"--git-dir=" + target.GitDir}, args...)...)
	cmd.Dir, cmd.Env = target.Path, append(env, "LC_ALL=C", "GIT_TERMINAL_PROMPT=0")
	out := &headWriter{left: 32 << 10}
	said := &headWriter{left: 32 << 10}
	cmd.Stdout, cmd.Stderr = out, said
	if err := cmd.Run(); err != nil {
		text := strings.TrimSpace(said.String() + "\n" + out.String())
		return nil, fmt.Errorf("git %s: %w: %s", args[0], err, secret.ReplaceAllString(strings.ToValidUTF8(text, ""), "://"))
	}
	return out.Bytes(), nil
}
