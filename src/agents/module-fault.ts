import { execFile } from 'node:child_process';
import { displayLocation, isSourceLocation, sourceLocationOf } from '../core/model/agent-events.ts';

/** Milliseconds that a second look at a faulty file may take. */
const lookTimeout = 5_000;

/** Why a module cannot be loaded: what Node says, where, and what to do about it. */
export async function describeModuleFault(url: URL, thrown: unknown): Promise<string> {
  const said = thrown instanceof Error ? thrown.message : String(thrown);
  const place = sourceLocationOf(thrown) ?? (thrown instanceof SyntaxError ? await placeOfSyntaxError(url) : undefined);
  const advice = esmAsCommonJs.test(said)
    ? `; Node takes this file for CommonJS, as the package.json next to it or above it says: name it ${moduleName(url)}, or set "type": "module" there`
    : '';
  return `${said}${place === undefined ? '' : ` (${place})`}${advice}`;
}

/** What Node says of an ES module that it takes for CommonJS. */
const esmAsCommonJs = /import statement outside a module|Unexpected token 'export'|import\.meta' outside a module/;

const moduleName = ({ pathname }: URL): string =>
  decodeURIComponent(pathname.slice(pathname.lastIndexOf('/') + 1)).replace(/\.(js|ts)$/, '.m$1');

/**
 * Where an ES module cannot be parsed. Node knows it and tells nobody but the one who reads its standard error, so that
 * another Node is made to load the module. Nothing of it runs: what cannot be parsed is found before anything does.
 */
function placeOfSyntaxError(url: URL): Promise<string | undefined> {
  const args = ['--input-type=module', '--eval', `await import(${JSON.stringify(url.href)})`];
  return new Promise((resolve) => {
    execFile(process.execPath, args, { timeout: lookTimeout, killSignal: 'SIGKILL' }, (_error, _stdout, stderr) => {
      const line = stderr.split(/\r?\n/).find(isSourceLocation);
      resolve(line === undefined ? undefined : displayLocation(line));
    });
  });
}
