// In syntax that old versions of Node read, so that they can say that they are too old.
var version = process.versions.node.split('.').map(Number);

/** Why this Node cannot run the gateway. Undefined: it can. */
export var tooOld =
  version[0] < 22 || (version[0] === 22 && version[1] < 19)
    ? 'a2a-gateway needs Node 22.19 or newer, this is ' +
      process.versions.node +
      '; "npm install node@24" in your project brings one for npm scripts and npx'
    : undefined;
