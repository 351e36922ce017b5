#!/usr/bin/env node
// Behind `npx callout`. Every Node reads this file, however old: no syntax in here that Node 10 does not know, and nothing
// is imported before the version is checked.
const version = process.versions.node.split('.').map(Number);
if (version[0] < 20 || (version[0] === 20 && version[1] < 19)) {
  process.stderr.write(
    'Callout needs Node 20.19 or newer (24 is recommended). This is Node ' + process.versions.node + '.\n',
  );
  process.exitCode = 1;
} else {
  void import('./launch-callout.js');
}
