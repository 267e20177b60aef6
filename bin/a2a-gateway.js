#!/usr/bin/env node
// In syntax that old versions of Node read, so that they can say that they are too old.
// biome-ignore lint/style/useNodejsImportProtocol: early versions of Node 12 do not know it
import { existsSync } from 'fs';
import { tooOld } from './node-version.js';

if (tooOld) {
  console.error(tooOld);
  process.exit(1);
}
// A checkout runs its sources, built or not; the package ships what was built from them.
var source = new URL('../src/cli/main.ts', import.meta.url);
import(existsSync(source) ? source.href : '../dist/cli/main.js').catch((error) => {
  console.error(error);
  process.exit(1);
});
