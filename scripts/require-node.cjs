'use strict';
// Preloaded by the npm scripts, in syntax that every Node reads: an old one would die on the first `.ts` file.
var version = process.versions.node.split('.').map(Number);
if (version[0] < 22 || (version[0] === 22 && version[1] < 19)) {
  console.error(
    'a2a-gateway needs Node 22.19 or newer, this is ' +
      process.versions.node +
      ': run "npm ci", which brings one for most platforms, or install a newer Node.',
  );
  process.exit(1);
}
