// A bundle of CommonJS files that starts with the code that V8 made of them before: compiling is half of what a start of it
// costs. Node's own `module.enableCompileCache` does the same from Node 22 on. Plain JavaScript: it runs as it is.
//
//   node code-cache.cjs <bundle>/app.cjs      runs it, and keeps the code of what it has loaded until it exits
//   require('code-cache.cjs').run('<bundle>/app.cjs')      runs it with that code
const { readFileSync, writeFileSync } = require('node:fs');
const Module = require('node:module');
const path = require('node:path');
const v8 = require('node:v8');
const vm = require('node:vm');

/** @param {string} main @returns {string} */
const cacheOf = (main) => path.join(path.dirname(main), 'code.cache');

/**
 * Has Node compile the files of a bundle by way of `compile`, and all others as ever.
 * @param {string} bundle
 * @param {(source: string, filename: string) => vm.Script} compile
 */
function compileWith(bundle, compile) {
  const others = Module.prototype._compile;
  Module.prototype._compile = function (source, filename, format) {
    if (path.dirname(filename) !== bundle) return others.call(this, source, filename, format);
    const load = Object.assign((name) => this.require(name), Module.createRequire(filename));
    const run = compile(Module.wrap(source), filename).runInThisContext();
    return run.call(this.exports, this.exports, load, this, filename, bundle);
  };
}

/** @param {string} main Starts with the code that was kept; what V8 refuses, as of another version, it compiles. */
function run(main) {
  const codes = v8.deserialize(readFileSync(cacheOf(main)));
  compileWith(path.dirname(main), (source, filename) => {
    return new vm.Script(source, { filename, cachedData: codes.get(filename) });
  });
  require(main);
}

/** @param {string} main */
function keep(main) {
  const scripts = new Map();
  compileWith(path.dirname(main), (source, filename) => {
    const script = new vm.Script(source, { filename });
    scripts.set(filename, script);
    return script;
  });
  process.once('exit', () => {
    const codes = new Map([...scripts].map(([filename, script]) => [filename, script.createCachedData()]));
    writeFileSync(cacheOf(main), v8.serialize(codes));
  });
  require(main);
}

if (require.main === module) keep(path.resolve(process.argv[2]));
else module.exports = { run };
