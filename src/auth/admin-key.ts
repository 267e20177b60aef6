import { randomBytes, timingSafeEqual } from 'node:crypto';
import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readSync,
  type Stats,
  unlinkSync,
  writeSync,
} from 'node:fs';
import type { CallerFacts } from '../core/limits/admission.ts';
import { isObject, parsedJson } from '../core/model/json.ts';
import { explicitScopes, type Principal } from '../core/model/principal.ts';
import { hashOf } from './hash.ts';
import { grantsOf, impliedScopes, principalIds, principalOf } from './principals.ts';
import type { AuthSettings } from './settings.ts';

/** The environment variable that sets the key, instead of a random one. */
export const adminKeyVariable = 'A2A_GATEWAY_ADMIN_KEY';

/**
 * A key for the admin service and the console, for gateways without a configured credential that has the scope `admin`.
 */
export interface AdminKey {
  readonly hash: string;
  /** Length of the key, in characters. */
  readonly length: number;
  /** Whether the gateway generated the key; false if it comes from the environment. */
  readonly made: boolean;
  /** Returns the principal of a caller that sends the key, which may do everything. Undefined for other callers. */
  holderOf(caller: CallerFacts): Principal | undefined;
}

/**
 * Whether a configured credential may use the whole admin service: it has the scope `admin` and no limit to agents or
 * tenants.
 */
export const grantsAdmin = (auth: AuthSettings): boolean =>
  grantsOf(auth).some(({ grant: { scopes, agents, tenants } }) => scopes?.includes('admin') && !agents && !tenants);

/**
 * Generates a random key. No other kind of key has its length, so that other keys need not be hashed to be told apart.
 */
export const newAdminKey = (): string => `a2a_admin_${randomBytes(32).toString('base64url')}`;

/** Returns the reason why a text cannot be the key. Undefined if it can. */
export const adminKeyFault = (text: string): string | undefined =>
  /^[\x21-\x7e]+$/.test(text)
    ? undefined
    : `${adminKeyVariable}: expected visible ASCII characters without spaces, such as a key of a2a-gateway keys new`;

/** Creates the key from its text. Only its hash and length are kept. */
export const adminKeyOf = (text: string, made: boolean, apiKeyHeader: string): AdminKey =>
  withHeader({ hash: hashOf(text), length: text.length, made }, apiKeyHeader);

/** Returns the key for a gateway whose API keys have this header. It is compared in constant time. */
export function withHeader({ hash, length, made }: Omit<AdminKey, 'holderOf'>, apiKeyHeader: string): AdminKey {
  const expected = Buffer.from(hash);
  const holder = (ownCredential?: Principal['ownCredential']): Principal => ({
    ...principalOf(principalIds.admin, { scopes: [...impliedScopes, ...explicitScopes] }, ownCredential),
    // Operators see exceptions of agents' code.
    local: true,
    credential: { kind: 'admin', hash },
  });
  const places = new Map([[apiKeyHeader.toLowerCase(), holder()]]);
  places.set('x-api-key', holder('apiKey')).set('authorization', holder('authorization'));
  return {
    hash,
    length,
    made,
    holderOf(caller) {
      for (const [header, principal] of places) {
        const value = caller.header(header);
        if (value === undefined || value.length < length) continue;
        const shown = header === 'authorization' ? value.replace(/^bearer +/i, '') : value;
        if (shown.length === length && timingSafeEqual(Buffer.from(hashOf(shown)), expected)) return principal;
      }
      return undefined;
    },
  };
}

/** Name of the key file, next to a SQLite database. */
export const adminKeyFileName = 'admin-key';

/** Content of the file that a running gateway writes for commands on the same machine. */
export interface AdminKeyFile {
  readonly key: string;
  readonly pid: number;
  /** The gateway's store, which no other gateway uses. */
  readonly store: string;
  /** Schemes and loopback addresses with a port that only this gateway listens on. */
  readonly listen: readonly string[];
}

/** Error about a key file. The message says what is wrong with the file, and what to do. */
export class AdminKeyFileRefused extends Error {}

/** Largest file, in bytes. */
const maxSize = 8_192;

/**
 * User id of this process. Undefined on Windows, where the folder of the user protects files, and neither owners nor
 * modes do.
 */
const ownUid = process.getuid?.();

function requirePrivate(path: string, stats: Stats): void {
  const fault = stats.isSymbolicLink()
    ? 'it is a symbolic link'
    : !stats.isFile()
      ? 'it is not a file'
      : ownUid !== undefined && stats.uid !== ownUid
        ? 'it belongs to another user'
        : ownUid !== undefined && (stats.mode & 0o077) !== 0
          ? `other users can access it (mode ${(stats.mode & 0o777).toString(8)}, expected 600)`
          : undefined;
  if (fault !== undefined) throw new AdminKeyFileRefused(`${path} is not used: ${fault}; remove it`);
}

/**
 * Reads the file. Undefined if there is none.
 *
 * @throws AdminKeyFileRefused for a link, another user's file, one that others can access, and one without a key
 */
export function readAdminKeyFile(path: string): AdminKeyFile | undefined {
  let file: number;
  try {
    // The operating system refuses a link: one could be created between a check and the opening.
    file = openSync(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0));
  } catch (thrown) {
    const { code } = thrown as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    const stats = lstatSync(path, { throwIfNoEntry: false });
    if (stats) requirePrivate(path, stats);
    throw new AdminKeyFileRefused(`${path} cannot be read (${code})`);
  }
  try {
    requirePrivate(path, fstatSync(file));
    const buffer = Buffer.alloc(maxSize);
    const content = parse(buffer.toString('utf8', 0, readSync(file, buffer)));
    if (!content) throw new AdminKeyFileRefused(`${path} is not used: no gateway wrote it; remove it`);
    return content;
  } finally {
    closeSync(file);
  }
}

function parse(text: string): AdminKeyFile | undefined {
  const value = parsedJson(text);
  if (!isObject(value)) return undefined;
  const { key, pid, store, listen } = value;
  const valid = typeof key === 'string' && Number.isInteger(pid) && typeof store === 'string' && Array.isArray(listen);
  return valid ? (value as unknown as AdminKeyFile) : undefined;
}

/** Whether a process exists and may belong to this user. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** Keys in the files that this process has written, by path. */
const written = new Map<string, string>();

/**
 * Writes the file so that only its owner can read it, and replaces a file left by a gateway that no longer runs.
 * Returns a function that removes the file.
 *
 * @throws AdminKeyFileRefused if another gateway uses the file, or the existing file is not private
 */
export function writeAdminKeyFile(path: string, content: AdminKeyFile): () => void {
  const before = readAdminKeyFile(path);
  if (before) {
    const { pid, store } = before;
    // A store serves one gateway, so an earlier gateway on the same store has ended.
    const isLive = pid === process.pid ? written.get(path) === before.key : store !== content.store && isRunning(pid);
    if (isLive) throw new AdminKeyFileRefused(`${path} is in use by another gateway (process ${pid}, ${store})`);
    unlinkSync(path);
  }
  try {
    const file = openSync(path, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, 0o600);
    try {
      writeSync(file, `${JSON.stringify(content)}\n`);
    } finally {
      closeSync(file);
    }
  } catch (thrown) {
    throw new AdminKeyFileRefused(`${path} cannot be written (${(thrown as NodeJS.ErrnoException).code})`);
  }
  written.set(path, content.key);
  return () => {
    if (written.get(path) === content.key) written.delete(path);
    try {
      if (readAdminKeyFile(path)?.key === content.key) unlinkSync(path);
    } catch {
      // The file no longer belongs to this gateway.
    }
  };
}

/**
 * Returns the target to which a command may send the key, so that only the gateway receives it. Undefined if there is
 * none. `localhost` may resolve to two addresses: if the gateway listens on only one of them, the target names that
 * address.
 */
export function targetOfKey({ listen }: AdminKeyFile, { protocol, hostname, host, port }: URL): string | undefined {
  const at = `${protocol}//${host}`;
  if (listen.includes(at)) return at;
  if (hostname !== 'localhost') return undefined;
  const suffix = port === '' ? '' : `:${port}`;
  const addresses = ['127.0.0.1', '[::1]'].map((address) => `${protocol}//${address}${suffix}`);
  const listened = addresses.filter((address) => listen.includes(address));
  if (listened.length === addresses.length) return at;
  // The certificate may be valid only for the name.
  return protocol === 'http:' ? listened[0] : undefined;
}
