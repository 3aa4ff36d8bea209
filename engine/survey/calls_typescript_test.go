package survey

import (
	"slices"
	"strings"
	"testing"
)

// eraser stands in for sucrase: it takes the types of the sources below away. What real tools make of TypeScript is theirs.
const eraser = `exports.transform = (text, { transforms }) => {
  const names = [];
  let out = text.replace(/: (number|string)(\[\])?(?=[,)={\s])/g, '').replace(/^interface .*$/gm, '');
  if (transforms.includes('imports')) {
    out = out.replace(/^import (\{[^}]*\}) from (.*);$/gm, 'const $1 = require($2);').replace(/^export (function|class) (\w+)/gm, (_, kind, name) => {
      names.push('Object.defineProperty(exports, "' + name + '", { enumerable: true, get: () => ' + name + ' });');
      return kind + ' ' + name;
    });
    names.push('Object.defineProperty(exports, "__esModule", { value: true });');
  }
  return { code: out + names.join(' ') };
};
`

// evaluating stands in for vitest: it evaluates what another tool makes of the sources, outside of the modules of node.
const evaluating = `const fs = require('fs');
const path = require('path');
const { transform } = require('sucrase');
const load = (file) => {
  const module = { exports: {} };
  const code = transform(fs.readFileSync(file, 'utf8'), { transforms: ['typescript', 'imports'] }).code;
  const find = (name) => load(path.resolve(path.dirname(file), name.replace(/\.js$/, '') + '.ts'));
  require('vm').runInThisContext('(function (module, exports, require) {' + code + '\n})', file)(module, module.exports, find);
  return module.exports;
};
load(path.resolve(process.argv[2]));
`

func TestCallsOfTypeScriptAreSeenAndMadeAgainWithoutItsTypes(t *testing.T) {
	t.Parallel()
	const kit = "import { low } from './low.js';\ninterface Named { name: string }\nexport function tag(name: string, n: number) {\n  return low(name) + n;\n}\n" +
		"export class Stack {\n  items;\n  constructor(items: number[]) {\n    this.items = items.slice();\n  }\n  pop() {\n    return this.items.pop();\n  }\n}\n"
	files := map[string]string{
		"package.json": `{"type": "module", "devDependencies": {"sucrase": "3"}}`,
		"src/kit.ts":   kit, "src/low.ts": "export function low(s: string) {\n  return s.toLowerCase();\n}\n", "src/kinds.d.ts": "export type Kind = string;\n",
		"test/kit.test.ts":                  "import { tag, Stack } from '../src/kit.js';\ntag('A', 1);\nnew Stack([1, 2]).pop();\n",
		"test/run.cjs":                      evaluating,
		"node_modules/sucrase/package.json": `{"name": "sucrase", "main": "index.js"}`,
		"node_modules/sucrase/index.js":     eraser,
	}
	want := []string{`src/kit.ts.tag["A", 1] = "a1"`, "1 x src/kit.ts.tag", "src/kit.ts.Stack[[1, 2]].pop[] = 2", "1 x src/kit.ts.Stack"}
	if got := livesOf(t, javaScriptCalls, "node", files, "node", "test/run.cjs", "test/kit.test.ts"); !slices.Equal(got, want) {
		t.Errorf("%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}
