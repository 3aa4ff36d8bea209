package guard_test

import (
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"atoll/config/suitetest"
	"atoll/engine/guard"
	"atoll/store/record"
)

// stripper stands in for sucrase: it takes away the types of the sources below and turns their modules into those that node requires. It
// shows that what the project has installed is found and asked; what real ones make of TypeScript is theirs.
const stripper = `exports.transform = (text, { transforms }) => {
  const names = [];
  let out = text.replace(/^(export )?interface [^}]*}/gm, (t) => t.replace(/[^\n]/g, ''));
  out = out.replace(/: (number|string|Row)(\[\])?(?=[,)=\s])/g, '');
  out = out.replace(/^import type .*$/gm, '');
  if (transforms.includes('imports')) {
    out = out.replace(/^import (\{[^}]*\}) from (.*);$/gm, 'const $1 = require($2);').replace(/^export (function|class|const) (\w+)/gm, (_, kind, name) => {
      names.push('exports.' + name + ' = ' + name + ';');
      return kind + ' ' + name;
    });
  }
  return { code: out + names.join(' ') };
};
`

// basket is a project in TypeScript whose tests are of vitest, which is not installed.
var basket = map[string]string{
	"package.json":                      `{"name": "basket", "type": "module", "exports": {".": {"types": "./dist/index.d.ts", "default": "./dist/index.js"}}, "scripts": {"test": "vitest run"}, "devDependencies": {"vitest": "^3.0.0", "sucrase": "^3.0.0"}}`,
	"tsconfig.json":                     "{\n  // where sources are\n  \"compilerOptions\": {\"baseUrl\": \".\", \"paths\": {\"~lib/*\": [\"src/*\"]},},\n}\n",
	"node_modules/sucrase/package.json": `{"name": "sucrase", "main": "index.js"}`,
	"node_modules/sucrase/index.js":     stripper,
	"src/rows.ts":                       "export interface Row {\n  name: string\n  n: number\n}\n\nexport function twice(n: number): number {\n  return n + n;\n}\n",
	"src/index.ts":                      basketSource,
	"test/basket.test.ts":               basketTest,
	"src/global.d.ts":                   "declare const unknown: number;\n",
	"node_modules/.package-lock.json":   "{}",
	"node_modules/vitest/package.json":  `{"name": "vitest", "main": "index.js"}`,
	"node_modules/vitest/index.js":      "throw new Error('vitest runs in no plain process');\n",
	"test/never.test.ts":                "import { describe, it } from 'vitest';\nimport { total } from '../src';\nit('ends the process', () => {\n  process.exit(total([40]));\n});\n",
	"test/helpers/rows.ts":              "export function some(n: number): number[] {\n  return Array.from({ length: n }, (_, i) => i);\n}\n",
}

const basketSource = `import type { Row } from './rows.js';
import { twice } from './rows.js';

/** Sums. */
export function total(list: number[]): number {
  let sum = 0;
  for (const n of list) sum += twice(n);
  return sum;
}

export class Basket {
  rows = new Map();

  add(name: string, n: number) {
    this.rows.set(name, (this.rows.get(name) || 0) + n);
    return this;
  }

  of(name: string) {
    return this.rows.get(name);
  }
}
`

const basketTest = `import { beforeEach, describe, expect, it, vi } from 'vitest';
import { Basket, total } from '../src/index.js';
import { some } from './helpers/rows';

describe('total', () => {
  it.each([[[1, 2], 6], [[], 0]])('sums %j', (list, sum) => {
    expect(total(list)).toBe(sum);
  });
  it.skip('is none of these', () => expect(total(some(9999))).toBe(0));
  it('waits', async () => {
    await expect(Promise.resolve(total(some(4)))).resolves.toBe(12);
  });
});

describe('a basket', () => {
  let basket;
  beforeEach(() => {
    basket = new Basket();
  });
  it('adds', () => {
    basket.add('plum', 2).add('plum', 3);
    expect(basket.of('plum')).toBe(5);
    expect(() => basket.of('fig')).not.toThrow();
  });
});
`

func TestChangesOfTypeScriptUnderVitestAreFound(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, file string
		edits      []string
		where      []string
		full       bool
	}{
		{"a sum that ends early", "src/index.ts", []string{"sum += twice(n)", "sum += sum > 40 ? 0 : twice(n)"}, []string{"src/index.total"}, false},
		{"a refactoring with other types", "src/index.ts", []string{"for (const n of list) sum += twice(n);", "for (let i: number = 0; i < list.length; i++) sum += twice(list[i]);"}, nil, false},
		{"what a module loads", "src/rows.ts", []string{"n + n", "n > 50 ? n : n + n"}, []string{"src/index.total"}, true},
		{"a method behind others", "src/index.ts", []string{"|| 0) + n", "?? 1) + n - 1 + (n > 2)"}, []string{"src/index.Basket"}, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if c.full {
				suitetest.Full(t, "compares TypeScript; a sum that ends early stands for it")
			}
			wantWhere(t, mustCheckJavaScript(t, guard.Options{Cases: 200}, basket, c.file, c.edits...), c.where...)
		})
	}
}

func TestWithoutWhatTakesTypesAwayTheCommandIsNamed(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, lock, devDependencies, want string }{
		{"a project that names one", "pnpm-lock.yaml", `{"typescript": "5"}`, ": pnpm install"},
		{"a project that names none", "", `{}`, ": npm install --save-dev typescript@5"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			files := map[string]string{"package.json": `{"name": "kit", "devDependencies": ` + c.devDependencies + `}`, "src/index.ts": "export const one = (): number => 1;\n"}
			if c.lock != "" {
				files[c.lock] = ""
			}
			report := mustCheckJavaScript(t, guard.Options{}, files, "src/index.ts", "=> 1", "=> 2")
			if !strings.HasSuffix(report.Failed, c.want) || !strings.Contains(report.Failed, "TypeScript") {
				t.Errorf("failed is %q, want an end in %q", report.Failed, c.want)
			}
		})
	}
}

// The lines of types stand before the function, and the tool writes it anew.
func TestLinesOfTypeScriptAreThoseOfTheSource(t *testing.T) {
	t.Parallel()
	suitetest.Full(t, "compares TypeScript; TestChangesOfTypeScriptUnderVitestAreFound stands for it")
	for _, tool := range []string{"sucrase", "typescript"} {
		t.Run(tool, func(t *testing.T) {
			t.Parallel()
			mustHave(t, "node")
			files := maps.Clone(basket)
			root := ""
			if tool != "sucrase" {
				delete(files, "node_modules/sucrase/package.json")
				delete(files, "node_modules/sucrase/index.js")
				root = mustFiles(t, files)
				mustInstall(t, root, tool)
			} else {
				root = mustFiles(t, files)
			}
			now := strings.Replace(basketSource, "  let sum = 0;\n", "  let sum = 0;\n  if (list.length < 0) {\n    sum = -1;\n  }\n", 1)
			delta := []record.Change{{Path: "src/index.ts", Mode: record.Regular, Data: []byte(now)}}
			report := mustCheck(t, guard.Options{Cases: 60}, guard.Tree{Base: root}, guard.Tree{Base: root, Delta: delta}, "src/index.ts")
			if !report.Measured || len(report.Unreached) != 1 || report.Unreached[0].From != 8 || report.Unreached[0].To != 8 {
				t.Errorf("unreached are %v, measured %t: %s", report.Unreached, report.Measured, report.Summary())
			}
		})
	}
}

// mustInstall copies a package of the folders that NODE_PATH names into a tree; the test is skipped where none has it.
func mustInstall(t *testing.T, tree, name string) {
	t.Helper()
	for _, dir := range filepath.SplitList(os.Getenv("NODE_PATH")) {
		if _, err := os.Stat(filepath.Join(dir, name, "package.json")); err != nil {
			continue
		}
		if err := os.CopyFS(filepath.Join(tree, "node_modules", name), os.DirFS(filepath.Join(dir, name))); err != nil {
			t.Fatal(err)
		}
		return
	}
	t.Skipf("no folder of NODE_PATH has the package %s: npm install %s", name, name)
}
