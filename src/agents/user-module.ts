import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { A2AError } from '../core/model/errors.ts';
import { displayLocation, isSourceLocation, sourceLocationOf } from '../core/model/stack.ts';
import { isClass } from './define.ts';
import { adviceAbout } from './module-advice.ts';
import { moduleUrl } from './module-graph.ts';
import { checkSettings } from './settings.ts';

/** Milliseconds for finding the place of a syntax error. */
const syntaxCheckTimeout = 20_000;

/** The exports of a user's module that every kind of module may have. */
export interface UserModule {
  readonly default?: unknown;
  /** Checks `config`: a Standard Schema, such as a Zod schema, or a JSON Schema. */
  readonly configSchema?: unknown;
  readonly [name: string]: unknown;
}

/**
 * Loads a user's file: JavaScript, or TypeScript with erasable syntax. Rejects with an A2AError that describes the fault.
 *
 * @param what the module with its path, for errors
 * @param path absolute
 * @param load loads the file again, with its imports (`newLoad`); default: only if one of them has changed. Node keeps the old
 *   modules in memory
 */
export async function loadUserModule(what: string, path: string, load?: string): Promise<UserModule> {
  const url = moduleUrl(path, load);
  return import(url.href).catch(async (cause: unknown) => {
    const why = await describeModuleFault(url, cause);
    throw new A2AError('internal', `${what} cannot be loaded: ${why}`, { cause });
  });
}

/**
 * Makes a value with a module's function or class from its settings, after the module's `configSchema` has checked `config`.
 * Rejects with an A2AError that describes the fault in the settings, or the failure of the function.
 *
 * @param what the module with its path, for errors
 */
export async function makeFromModule<Settings extends { readonly config: unknown }>(
  what: string,
  { default: create, configSchema }: UserModule,
  settings: Settings,
): Promise<unknown> {
  const { faults, value } = await checkSettings(configSchema, settings.config);
  if (faults.length > 0) {
    throw new A2AError('internal', `${what} has a config that is not valid: ${faults.join(', ')}`);
  }
  try {
    const checked = { ...settings, config: value };
    const made = isClass(create) ? new create(checked) : await (create as (settings: Settings) => unknown)(checked);
    return isClass(made) ? new made(checked) : made;
  } catch (cause) {
    const place = sourceLocationOf(cause);
    const why = cause instanceof Error ? cause.message : String(cause);
    const where = place === undefined ? '' : ` (${place})`;
    throw new A2AError('internal', `${what} cannot be made: ${why}${where}`, { cause });
  }
}

/** Why a module cannot be loaded: Node's message, the place, and advice. */
async function describeModuleFault(url: URL, thrown: unknown): Promise<string> {
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  const place = sourceLocationOf(thrown) ?? (thrown instanceof SyntaxError ? await placeOfSyntaxError(url) : undefined);
  const [, path = fileURLToPath(url), line] = /^(.+):(\d+)$/.exec(place ?? '') ?? [];
  const advice = adviceAbout({ message, path, line: line === undefined ? undefined : Number(line) });
  return `${message}${place === undefined ? '' : ` (${place})`}${advice === undefined ? '' : `; ${advice}`}`;
}

/**
 * The place of a syntax error. Node only writes it to standard error, so another Node loads the module. None of its code
 * runs, because it cannot be parsed.
 */
async function placeOfSyntaxError(url: URL): Promise<string | undefined> {
  const args = ['--input-type=module', '--eval', `await import(${JSON.stringify(url.href)})`];
  const options = { timeout: syntaxCheckTimeout, killSignal: 'SIGKILL' } as const;
  const { execFile } = await import('node:child_process');
  const { stderr } = await promisify(execFile)(process.execPath, args, options).catch((error) => error);
  const line = String(stderr).split(/\r?\n/).find(isSourceLocation);
  return line === undefined ? undefined : displayLocation(line);
}
