import { execFile } from 'node:child_process';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import type { Agent } from '../core/model/agent.ts';
import { displayLocation, isSourceLocation, sourceLocationOf } from '../core/model/agent-events.ts';
import { A2AError } from '../core/model/errors.ts';

/** Milliseconds for finding the place of a syntax error. */
const syntaxCheckTimeout = 5_000;

/** Distinguishes the URLs of modules that are loaded again. */
let reloads = 0;

/**
 * Loads the agent that a user's file exports by default: JavaScript, or TypeScript with erasable syntax. Rejects with an
 * A2AError that says what is wrong with the file.
 *
 * @param path absolute
 * @param anew loads the file again if it was loaded before, but not its imports. Node keeps the old module in memory
 */
export async function loadModuleAgent(path: string, anew = false): Promise<Agent> {
  const url = pathToFileURL(path);
  if (anew) url.searchParams.set('reload', String(++reloads));
  const loaded: { default?: unknown } = await import(url.href).catch(async (cause: unknown) => {
    const why = await describeModuleFault(url, cause);
    throw new A2AError('internal', `The agent ${path} cannot be loaded: ${why}`, { cause });
  });
  if (isAgent(loaded.default)) return loaded.default;
  throw new A2AError('internal', `The agent ${path} must export by default what defineAgent(…) returns.`);
}

const isAgent = (value: unknown): value is Agent =>
  typeof value === 'object' && value !== null && 'card' in value && 'execute' in value;

/** Why a module cannot be loaded: Node's message, the place, and advice. */
async function describeModuleFault(url: URL, thrown: unknown): Promise<string> {
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  const place = sourceLocationOf(thrown) ?? (thrown instanceof SyntaxError ? await placeOfSyntaxError(url) : undefined);
  const advice = esmAsCommonJs.test(message)
    ? `; Node takes this file for CommonJS, as the package.json next to it or above it says: name it ${moduleName(url)}, or set "type": "module" there`
    : '';
  return `${message}${place === undefined ? '' : ` (${place})`}${advice}`;
}

/** Node's messages about an ES module that it takes for CommonJS. */
const esmAsCommonJs = /import statement outside a module|Unexpected token 'export'|import\.meta' outside a module/;

const moduleName = ({ pathname }: URL): string =>
  decodeURIComponent(pathname.slice(pathname.lastIndexOf('/') + 1)).replace(/\.(js|ts)$/, '.m$1');

/**
 * The place of a syntax error. Node only writes it to standard error, so another Node loads the module. None of its code
 * runs, because it cannot be parsed.
 */
async function placeOfSyntaxError(url: URL): Promise<string | undefined> {
  const args = ['--input-type=module', '--eval', `await import(${JSON.stringify(url.href)})`];
  const options = { timeout: syntaxCheckTimeout, killSignal: 'SIGKILL' } as const;
  const { stderr } = await promisify(execFile)(process.execPath, args, options).catch((error) => error);
  const line = String(stderr).split(/\r?\n/).find(isSourceLocation);
  return line === undefined ? undefined : displayLocation(line);
}
