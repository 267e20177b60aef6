import { dirname, join } from 'node:path';
import {
  type AdminKeyFile,
  AdminKeyFileRefused,
  adminKeyFileName,
  adminKeyVariable,
  isRunning,
  readAdminKeyFile,
  targetOfKey,
} from '../auth/admin-key.ts';
import { parseTarget } from '../client/choose.ts';
import { A2AError, type AdminClient, type AdminOptions, openAdmin } from '../client/index.ts';
import { defaultConfig, isLoopbackHost, loadConfig } from '../config/index.ts';
import { defaultGateway } from './admin-fields.ts';
import { UsageError } from './exit-code.ts';
import type { Output } from './output.ts';
import { connectOptions, type TargetOptions } from './target.ts';

/** Options of commands that are clients of a gateway's admin service. */
export interface GatewayOptions extends TargetOptions {
  /** The gateway's configuration. The admin key is next to its store. */
  readonly config?: string;
  readonly store?: string;
}

/** Headers of credentials, in lower case. */
const credentialHeaders = ['authorization', 'x-api-key'];

/**
 * Runs `use` with the admin service of a gateway. Without credentials, it must be a gateway on this machine, whose
 * generated key is used.
 */
export async function withAdmin<T>(
  target: string | undefined,
  options: GatewayOptions,
  output: Output,
  use: (client: AdminClient) => Promise<T>,
): Promise<T> {
  const { connection, hasCredentials, ...own } = await adminConnection(target, options, output);
  const client = await openAdmin(own.target ?? defaultGateway, connection);
  try {
    return await use(client);
  } catch (thrown) {
    const error = A2AError.from(thrown);
    if (hasCredentials || connection.apiKey !== undefined || error.kind !== 'unauthenticated') throw thrown;
    const hint = own.hint ?? 'run the command in the folder of the gateway, or name its file with --config';
    throw new A2AError('unauthenticated', `${error.message}; ${hint}`, { cause: thrown });
  } finally {
    await client.close();
  }
}

/**
 * Returns the connection to the admin service of a gateway, with the credentials in the options, or with the key of a
 * gateway on this machine.
 */
export async function adminConnection(target: string | undefined, options: GatewayOptions, output: Output) {
  const { via, apiKey, bearer, headers, tls, timeout, onWire } = await connectOptions(options, output);
  const shown = Object.keys(headers ?? {}).some((name) => credentialHeaders.includes(name));
  const hasCredentials = apiKey !== undefined || bearer !== undefined || shown || options.cert !== undefined;
  const own: OwnKey = hasCredentials ? { target } : await ownKey(target, options);
  const given = Object.entries({ via, apiKey: apiKey ?? own.apiKey, bearer, headers, tls, timeout, onWire });
  const connection = Object.fromEntries(given.filter(([, value]) => value !== undefined)) as AdminOptions;
  return { connection, hasCredentials, target: own.target, hint: own.hint };
}

interface OwnKey {
  readonly target: string | undefined;
  readonly apiKey?: string;
  /** Advice if there is no key. */
  readonly hint?: string;
}

/**
 * Returns the key of a gateway on this machine, and the target to which it may be sent. The key is never sent to
 * another machine, to another port, or to an address on which the gateway does not listen, because another user's
 * program may listen there.
 */
async function ownKey(target: string | undefined, options: GatewayOptions): Promise<OwnKey> {
  const url = target === undefined ? undefined : parseTarget(target);
  if (url && !isLoopbackHost(url.hostname)) return { target };
  const fromEnvironment = process.env[adminKeyVariable];
  if (fromEnvironment) return { target, apiKey: fromEnvironment };
  const path = await keyFileOf(options);
  const file = path === undefined ? undefined : privateFile(path);
  if (!file) return { target };
  if (!isRunning(file.pid)) {
    return { target, hint: `the gateway that wrote ${path} (process ${file.pid}) no longer runs` };
  }
  const [first] = file.listen;
  const to = url ? targetOfKey(file, url) : first;
  if (to === undefined) {
    const where = file.listen.join(' and ') || 'no loopback address';
    return { target, hint: `${path} is for ${where}` };
  }
  return { target: url ? `${to}${url.pathname}` : to, apiKey: file.key };
}

/** Reads the key file. Throws UsageError if it is not private. */
function privateFile(path: string): AdminKeyFile | undefined {
  try {
    return readAdminKeyFile(path);
  } catch (thrown) {
    throw thrown instanceof AdminKeyFileRefused ? new UsageError(thrown.message) : thrown;
  }
}

/**
 * Returns the path of the key file: next to the store of the configuration, or of a gateway without a configuration in
 * this folder. Undefined for stores without a file.
 */
async function keyFileOf({ config: file, store }: GatewayOptions): Promise<string | undefined> {
  const overrides = store === undefined ? {} : { store };
  const { store: url } = file === undefined ? defaultConfig(overrides) : await loadConfig(file, overrides);
  return url.startsWith('sqlite:') ? join(dirname(url.slice('sqlite:'.length)), adminKeyFileName) : undefined;
}
