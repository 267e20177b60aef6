#!/usr/bin/env node
// In syntax that old versions of Node read, so that they can say that they are too old.
// biome-ignore lint/style/useNodejsImportProtocol: early versions of Node 12 do not know it
import { existsSync } from 'fs';

var version = process.versions.node.split('.').map(Number);
if (version[0] < 22 || (version[0] === 22 && version[1] < 18)) {
  console.error(`a2a-gateway needs Node 22.18 or newer, this is ${process.versions.node}`);
  process.exit(1);
}
// A checkout runs its sources, built or not; the package ships what was built from them.
var source = new URL('../src/cli/main.ts', import.meta.url);
import(existsSync(source) ? source.href : '../dist/cli/main.js').catch((error) => {
  console.error(error);
  process.exit(1);
});
