package plugin_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"aead.dev/minisign"

	"atoll/engine/plugin"
)

func TestABrokenPluginIsRefusedBeforeItRuns(t *testing.T) {
	t.Parallel()
	manifest := func(old, new string) func(*testing.T, string) {
		return func(t *testing.T, dir string) { edit(t, dir, plugin.ManifestName, old, new) }
	}
	for _, c := range []struct {
		name  string
		kind  plugin.Kind
		spoil func(t *testing.T, dir string)
		want  error
		text  string
	}{
		{"no manifest", plugin.Auditor, func(t *testing.T, dir string) { _ = os.Remove(filepath.Join(dir, plugin.ManifestName)) }, plugin.ErrManifest, "no such file"},
		{"a key that there is not", plugin.Auditor, manifest("kind:", "colour: red\nkind:"), plugin.ErrManifest, "colour"},
		{"no kind of plug-in", plugin.Auditor, manifest("kind: auditor", "kind: oracle"), plugin.ErrManifest, `kind "oracle"`},
		{"a protocol of the future", plugin.Auditor, manifest("protocol: 1", "protocol: 9"), plugin.ErrManifest, "protocol 9"},
		{"a command whose file is not listed", plugin.Auditor, manifest("{dir}/plugin.py", "{dir}/other.py"), plugin.ErrManifest, "not among files"},
		{"a command outside of the plug-in", plugin.Auditor, manifest("python3", "/bin/sh"), plugin.ErrManifest, "command starts /bin/sh"},
		{"a listed path that leads out", plugin.Auditor, manifest("plugin.py:", "../plugin.py:"), plugin.ErrManifest, "no path of a file"},
		{"limits beyond reason", plugin.Auditor, manifest("files:", "limits: {seconds: 999999}\nfiles:"), plugin.ErrManifest, "out of range"},
		{"an evaluator with a network", plugin.Evaluator, manifest("files:", "permissions: {net: true}\nfiles:"), plugin.ErrManifest, "cannot have the network"},
		{"an operator that there is not", plugin.Operator, manifest("mutate", "teleport"), plugin.ErrManifest, `no operator "teleport"`},
		{"a variable of the loader", plugin.Auditor, manifest("files:", "permissions: {env: [LD_PRELOAD]}\nfiles:"), plugin.ErrManifest, "LD_PRELOAD"},
		{"a file changed after its hash was taken", plugin.Auditor, func(t *testing.T, dir string) { edit(t, dir, "plugin.py", "TODO", "FIXME") }, plugin.ErrFiles, "plugin.py was changed"},
		{"a file that is missing", plugin.Auditor, func(t *testing.T, dir string) { _ = os.Remove(filepath.Join(dir, "plugin.py")) }, plugin.ErrFiles, "plugin.py is missing"},
		{"a file beside the listed ones", plugin.Auditor, func(t *testing.T, dir string) { write(t, dir, "json.py", "print(1)\n") }, plugin.ErrFiles, "json.py is not in the manifest"},
		{"a link", plugin.Auditor, func(t *testing.T, dir string) { _ = os.Symlink("/etc/passwd", filepath.Join(dir, "data")) }, plugin.ErrFiles, "neither a file nor a folder"},
		{"a signature that is none", plugin.Auditor, func(t *testing.T, dir string) { write(t, dir, plugin.SignatureName, "trust me\n") }, plugin.ErrSignature, "minisig"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			dir, _ := fresh(t, c.kind, "python")
			c.spoil(t, dir)
			_, err := plugin.Read(dir)
			if !errors.Is(err, c.want) || !strings.Contains(err.Error(), c.text) {
				t.Errorf("got %v, want %v with %q", err, c.want, c.text)
			}
		})
	}
}

func TestAPluginThatNobodyTrustsDoesNotRun(t *testing.T) {
	t.Parallel()
	public, private, err := minisign.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	sign := func(t *testing.T, dir string) *plugin.Plugin {
		p, err := plugin.Read(dir)
		if err == nil {
			err = p.Sign(private)
		}
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	for _, c := range []struct {
		name    string
		prepare func(t *testing.T, dir string, trust *plugin.Trust)
		want    error
		text    string
	}{
		{"not signed", func(*testing.T, string, *plugin.Trust) {}, plugin.ErrTrust, "--hash "},
		{"not signed, named by its hash", func(t *testing.T, dir string, trust *plugin.Trust) {
			p, _ := plugin.Read(dir)
			_ = trust.AddHash(p.Hash)
		}, nil, ""},
		{"named by its hash, then changed", func(t *testing.T, dir string, trust *plugin.Trust) {
			p, _ := plugin.Read(dir)
			_ = trust.AddHash(p.Hash)
			edit(t, dir, "plugin.py", "TODO", "FIXME")
			fill(t, dir)
		}, plugin.ErrTrust, "not signed"},
		{"signed by a key that is not trusted", func(t *testing.T, dir string, _ *plugin.Trust) { sign(t, dir) }, plugin.ErrTrust, "which you do not trust"},
		{"signed by a trusted key", func(t *testing.T, dir string, trust *plugin.Trust) {
			sign(t, dir)
			_, _ = trust.AddKey(public.String())
		}, nil, ""},
		{"with the signature of another manifest", func(t *testing.T, dir string, trust *plugin.Trust) {
			sign(t, dir)
			_, _ = trust.AddKey(public.String())
			edit(t, dir, plugin.ManifestName, "version: 0.1.0", "version: 0.2.0")
		}, plugin.ErrSignature, "somebody changed one of the two"},
		{"with a permission that was not given", func(t *testing.T, dir string, trust *plugin.Trust) {
			edit(t, dir, plugin.ManifestName, "files:", "permissions: {net: true}\nfiles:")
			fill(t, dir)
			sign(t, dir)
			_, _ = trust.AddKey(public.String())
		}, plugin.ErrTrust, "asks for the network"},
		{"with more permissions than its last version was given", func(t *testing.T, dir string, trust *plugin.Trust) {
			edit(t, dir, plugin.ManifestName, "files:", "permissions: {env: [TOKEN]}\nfiles:")
			fill(t, dir)
			p := sign(t, dir)
			_, _ = trust.AddKey(public.String())
			_ = trust.Grant(p)
			edit(t, dir, plugin.ManifestName, "env: [TOKEN]", "env: [TOKEN, SECRET]")
			fill(t, dir)
			sign(t, dir)
		}, plugin.ErrTrust, "the variable SECRET"},
		{"with the permissions that its last version was given", func(t *testing.T, dir string, trust *plugin.Trust) {
			edit(t, dir, plugin.ManifestName, "files:", "permissions: {env: [TOKEN]}\nfiles:")
			fill(t, dir)
			p := sign(t, dir)
			_, _ = trust.AddKey(public.String())
			_ = trust.Grant(p)
			edit(t, dir, plugin.ManifestName, "version: 0.1.0", "version: 0.2.0")
			sign(t, dir)
		}, nil, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			home := t.TempDir()
			getenv := func(name string) string { return map[string]string{"HOME": home}[name] }
			dir, _ := fresh(t, plugin.Auditor, "python")
			trust, err := plugin.OpenTrust(getenv)
			if err != nil {
				t.Fatal(err)
			}
			c.prepare(t, dir, trust)
			_, err = plugin.Open(dir, getenv)
			if !errors.Is(err, c.want) || err != nil && !strings.Contains(err.Error(), c.text) {
				t.Errorf("got %v, want %v with %q", err, c.want, c.text)
			}
		})
	}
}

func TestTheCheckSaysWhetherASignatureHoldsAndWhoseItIs(t *testing.T) {
	t.Parallel()
	needs(t, "python3")
	h := host(t)
	public, private, err := minisign.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	line := func(n int, change func(string) string) func(*testing.T, string) {
		return func(t *testing.T, dir string) {
			text, err := os.ReadFile(filepath.Join(dir, plugin.SignatureName))
			if err != nil {
				t.Fatal(err)
			}
			lines := strings.Split(string(text), "\n")
			lines[n-1] = change(lines[n-1])
			write(t, dir, plugin.SignatureName, strings.Join(lines, "\n"))
		}
	}
	// other returns a line with another character of base64 at a place, from its end if negative.
	other := func(at int) func(string) string {
		return func(text string) string {
			b := []byte(text)
			i := (at + len(b)) % len(b)
			if b[i]++; b[i] == '=' || b[i] == '[' || b[i] == '{' || b[i] == ':' || b[i] == ',' || b[i] == '0'-1 {
				b[i] = 'A'
			}
			return string(b)
		}
	}
	for _, c := range []struct {
		name  string
		spoil func(t *testing.T, dir string)
		want  string
	}{
		{"as it was signed", func(*testing.T, string) {}, ""},
		{"another algorithm", line(2, other(0)), "signature"},
		{"another id of a key", line(2, other(5)), "signature"},
		{"another byte of the signature", line(2, other(40)), "is not that of the key"},
		{"a last character whose bits count for nothing", line(2, other(-2)), "signature"},
		{"another version in the manifest", func(t *testing.T, dir string) {
			edit(t, dir, plugin.ManifestName, "version: 0.1.0", "version: 0.2.0")
		}, "is not that of the key"},
		{"another trusted comment", line(3, func(string) string { return "trusted comment: atoll plug-in other 9.9" }), "is not that of the key"},
		{"another byte of the comment's signature", line(4, other(40)), "is not that of the key"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			for _, trusts := range []bool{false, true} {
				trust, err := plugin.OpenTrust(func(name string) string { return map[string]string{"HOME": t.TempDir()}[name] })
				if err == nil && trusts {
					_, err = trust.AddKey(public.String())
				}
				if err != nil {
					t.Fatal(err)
				}
				dir, _ := fresh(t, plugin.Auditor, "python")
				p, err := plugin.Read(dir)
				if err == nil {
					err = p.Sign(private)
				}
				if err != nil {
					t.Fatal(err)
				}
				c.spoil(t, dir)
				list, err := plugin.Check(t.Context(), h, trust, dir)
				if err != nil {
					t.Fatal(err)
				}
				says := "which you do not trust"
				if trusts {
					says = "which you trust"
				}
				v := list[1]
				switch {
				case v.Name != "signature":
					t.Errorf("the second point is %s", v.Name)
				case c.want == "" && (!v.OK || !strings.Contains(v.Detail, says) || len(list) < 4):
					t.Errorf("trusted %v: got %v", trusts, list)
				case c.want != "" && (v.OK || !errors.Is(v.Err, plugin.ErrSignature) || !strings.Contains(v.Detail, c.want) || len(list) != 2):
					t.Errorf("trusted %v: got %v, want it to fail with %q", trusts, list, c.want)
				}
			}
		})
	}
	t.Run("signed by minisign, the key unknown here", func(t *testing.T) {
		t.Parallel()
		dir, _ := fresh(t, plugin.Auditor, "python")
		raw, err := os.ReadFile(filepath.Join(dir, plugin.ManifestName))
		if err != nil {
			t.Fatal(err)
		}
		write(t, dir, plugin.SignatureName, string(minisign.Sign(private, raw)))
		list, err := plugin.Check(t.Context(), h, nil, dir)
		if err != nil || list[1].OK || !strings.Contains(list[1].Detail, "it cannot be checked") {
			t.Errorf("got %v, %v", list, err)
		}
	})
}

func TestSigningRefusesAManifestWithAKeyThatThereIsNot(t *testing.T) {
	t.Parallel()
	dir, _ := fresh(t, plugin.Auditor, "python")
	edit(t, dir, plugin.ManifestName, "kind:", "licence: MIT\nkind:")
	before, _ := os.ReadFile(filepath.Join(dir, plugin.ManifestName))
	_, err := plugin.Fill(dir)
	after, _ := os.ReadFile(filepath.Join(dir, plugin.ManifestName))
	if !errors.Is(err, plugin.ErrManifest) || !strings.Contains(err.Error(), "licence is no key of a manifest") || string(before) != string(after) {
		t.Errorf("got %v; the manifest is now\n%s", err, after)
	}
}

func TestABrokenPluginIsEndedWithTheReason(t *testing.T) {
	t.Parallel()
	needs(t, "python3")
	h := host(t)
	body := func(kind plugin.Kind, code string) func(t *testing.T) string {
		return func(t *testing.T) string {
			dir, _ := fresh(t, kind, "python")
			edit(t, dir, "plugin.py", "def "+plugin.Method(kind)+"(params):\n", "def "+plugin.Method(kind)+"(params):\n    import os, socket, subprocess, time\n    "+code+"\n")
			edit(t, dir, plugin.ManifestName, "files:", "limits: {seconds: 20, memory_mb: 100, processes: 8, output_kb: 64}\nfiles:")
			fill(t, dir)
			return dir
		}
	}
	hello := func(old, new string) func(t *testing.T) string {
		return func(t *testing.T) string {
			dir, _ := fresh(t, plugin.Auditor, "python")
			edit(t, dir, "plugin.py", old, new)
			fill(t, dir)
			return dir
		}
	}
	short := func(make func(t *testing.T) string) func(t *testing.T) string {
		return func(t *testing.T) string {
			dir := make(t)
			edit(t, dir, plugin.ManifestName, "seconds: 20", "seconds: 1")
			return dir
		}
	}
	sampled := func(make func(t *testing.T) string) func(t *testing.T) string {
		return func(t *testing.T) string {
			dir := make(t)
			sample(t, dir, map[string]string{"main.rs": "fn main() { let steps = 40; }\n"})
			return dir
		}
	}
	for _, c := range []struct {
		name string
		make func(t *testing.T) string
		want error
		text string
	}{
		{"it hangs", short(body(plugin.Auditor, "time.sleep(3600)")), plugin.ErrLimit, "longer than its time"},
		{"it floods stdout", body(plugin.Auditor, "print('x' * 10**7)"), plugin.ErrLimit, "output"},
		{"it floods stderr", body(plugin.Auditor, "sys.stderr.write('x' * 10**7)"), plugin.ErrLimit, "output"},
		{"it takes all memory", body(plugin.Auditor, "x = bytearray(400 << 20); time.sleep(15)"), plugin.ErrLimit, "memory"},
		{"it starts too many processes", body(plugin.Auditor, "[subprocess.Popen(['sleep', '20']) for _ in range(40)]; time.sleep(10)"), plugin.ErrLimit, ""},
		{"it dies", body(plugin.Auditor, "os._exit(3)"), plugin.ErrLimit, "exit code 3"},
		{"it raises", body(plugin.Auditor, "raise ValueError('no idea')"), plugin.ErrLimit, "no idea"},
		{"it reaches for the network that it does not have", body(plugin.Auditor, "socket.create_connection(('127.0.0.1', 1), 2)"), plugin.ErrLimit, "Error"},
		{"it writes into the tree that it may read", body(plugin.Auditor, "open('numbers.txt', 'w')"), plugin.ErrLimit, "numbers.txt"},
		{"it writes into its own folder", body(plugin.Auditor, "open(__file__, 'a')"), plugin.ErrLimit, "plugin.py"},
		{"it prints beside the protocol", body(plugin.Auditor, "print('hello')"), plugin.ErrProtocol, "no answer of JSON-RPC"},
		{"it calls itself by another name", hello(`"name": NAME`, `"name": "root"`), plugin.ErrProtocol, "calls itself root"},
		{"it is of another kind than its manifest says", hello(`"kind": KIND`, `"kind": "agent"`), plugin.ErrProtocol, "calls itself"},
		{"it asks for more than its manifest", hello(`"protocol": 1,`, `"protocol": 1, "permissions": {"net": True},`), plugin.ErrProtocol, "more than its manifest"},
		{"it claims what its manifest does not have", hello(`"protocol": 1,`, `"protocol": 1, "capabilities": ["mutate"],`), plugin.ErrProtocol, "claims the capability"},
		{"it answers nothing", hello(`for line in sys.stdin:`, `for line in []:`), plugin.ErrProtocol, "did not answer initialize"},
		{"it answers with another id", hello(`"id": request["id"]`, `"id": "1"`), plugin.ErrProtocol, "not made"},
		{"it answers twice", hello(`flush=True)`, `flush=True); print(json.dumps({"jsonrpc": "2.0", "id": request["id"], **answer(request)}))`), plugin.ErrProtocol, "twice"},
		{"it answers every method", hello(`return {"error": {"code": -32601, "message": "no such method"}}`, `return {"result": {}}`), plugin.ErrProtocol, "a method that there is not"},
		{"its finding leads out of the tree", body(plugin.Auditor, `return {"findings": [{"path": "../x", "rule": "todo", "value": 1, "bound": 0, "priority": 2, "text": "x"}]}`), plugin.ErrAnswer, "no path of the tree"},
		{"its finding is in a file that there is not", body(plugin.Auditor, `return {"findings": [{"path": "no/such.py", "rule": "todo", "value": 1, "bound": 0, "priority": 2, "text": "x"}]}`), plugin.ErrAnswer, "no/such.py, which is no file of the sample"},
		{"its metric is not a number", body(plugin.Evaluator, `return {"metrics": [{"name": "sum", "value": float("nan")}]}`), plugin.ErrProtocol, "no answer of JSON-RPC"},
		{"its result has no metrics", body(plugin.Evaluator, `return {"score": 1}`), plugin.ErrAnswer, "metrics"},
		{"its vectors differ in length", body(plugin.Embedder, `return {"vectors": [[1], [1, 2]]}`), plugin.ErrAnswer, "the same count"},
		{"its answers are random", body(plugin.Descriptor, `return {"metrics": [{"name": "x", "value": os.getpid() + time.time_ns()}]}`), plugin.ErrAnswer, "two answers"},
		{"it changes git's own folder", body(plugin.Operator, `return {"intent": "", "changes": [{"path": ".git/hooks/x", "text": "x"}]}`), plugin.ErrAnswer, "no path of the tree"},
		{"it is an operator that changes nothing in its own sample", sampled(body(plugin.Operator, `return {"intent": "", "changes": []}`)), plugin.ErrAnswer, "its own sample"},
		{"it is an agent that changes nothing", body(plugin.Agent, `return {"intent": "done"}`), plugin.ErrAnswer, "changed nothing"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			list, err := plugin.Check(t.Context(), h, nil, c.make(t))
			if err != nil {
				t.Fatal(err)
			}
			last := list[len(list)-1]
			if last.OK || !errors.Is(last.Err, c.want) || !strings.Contains(last.Detail, c.text) {
				t.Errorf("%s: got %v, want %v with %q", last.Name, last.Err, c.want, c.text)
			}
		})
	}
}
