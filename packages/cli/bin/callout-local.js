// Behind `npm start`, `npm run demo` and `npm run bench`. Every Node reads this file, however old: no syntax in here that
// Node 10 does not know, and nothing is imported before the version is checked.
const version = process.versions.node.split('.').map(Number);
const major = version[0];
const minor = version[1];
// Below these, CommonJS cannot load ES modules, and tools of the build do that.
if (major < 20 || (major === 20 && minor < 19) || major === 21 || (major === 22 && minor < 12)) {
  process.stderr.write(
    'Callout needs Node 20.19, 22.12 or newer (24 is recommended). This is Node ' + process.versions.node + '.\n',
  );
  process.exitCode = 1;
} else {
  void import('./launch.js');
}
