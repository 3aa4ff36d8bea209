// Loads the files of a tree whose sources are TypeScript, or modules that node takes for none: what requires one gets it
// without types, and finds it under the names that its tools take.
'use strict';
const Module = require('module');
const path = require('path');
const tree = require('./tree.cjs');
const typed = require('./typed.cjs');

let installed = false;

/** Whether the tree is one of these. */
function wanted() {
  return tree.files('source').some((f) => typed.isTyped(f) && !/\.config\.\w+$/.test(f)) || tree.framework() !== '';
}

/** Has files of the tree required so. stand(name) gives the file that stands in the place of a package, '' for none. */
function install(stand = () => '') {
  if (installed || !wanted()) return;
  installed = true;
  const usual = Module._extensions['.js'];
  for (const ending of tree.ENDINGS.concat('.jsx')) {
    const was = Module._extensions[ending];
    Module._extensions[ending] = function (module, file) {
      const relative = path.relative(tree.TREE, file).split(path.sep).join('/');
      const own = !relative.startsWith('..') && !/(^|\/)node_modules\//.test(relative);
      const text = own ? typed.common(relative, tree.read(file)) : null;
      if (text === null) return (was || usual)(module, file);
      module._compile(text, file);
    };
  }
  const resolve = Module._resolveFilename;
  Module._resolveFilename = function (request, parent, ...rest) {
    const other = stand(request);
    if (other) return other;
    const from = parent && parent.filename ? path.relative(tree.TREE, parent.filename).split(path.sep).join('/') : '..';
    if (from.startsWith('..') || /(^|\/)node_modules\//.test(from)) return resolve.call(this, request, parent, ...rest);
    const found = tree.resolve(from, request);
    if (found.length > 0) return tree.within(found[0]);
    return resolve.call(this, request, parent, ...rest);
  };
}

module.exports = { install, wanted };
