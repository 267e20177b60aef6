import { dirname, join } from 'node:path';
import {
  type AdminKey,
  adminKeyFault,
  adminKeyFileName,
  adminKeyOf,
  adminKeyVariable,
  grantsAdmin,
  newAdminKey,
  withHeader,
  writeAdminKeyFile,
} from '../../auth/admin-key.ts';
import type { AuthSettings } from '../../auth/settings.ts';
import { isLoopbackHost } from '../../config/addresses.ts';
import { ConfigError } from '../../config/report.ts';
import type { Config } from '../../config/types.ts';
import type { Logger } from '../../core/ports/logger.ts';

/**
 * Smallest number of characters of a key without a warning. Callers with a wrong key are anonymous, because the header may hold a
 * credential for an agent; only their request rate limits how often they can guess.
 */
const leastCharacters = 20;

export interface AdminKeysOptions {
  readonly config: Pick<Config, 'listen' | 'store'>;
  readonly logger: Logger;
  /** Gets the text of each key that the gateway makes, which is not shown again. */
  readonly onAdminKey?: ((key: string) => void) | undefined;
  /** Whether the program passed the store itself, so that it has no folder. */
  readonly ownStore: boolean;
  /** The text of the key that all workers use. Undefined: a random one is made. */
  readonly ownKey: string | undefined;
  /** Returns the port of the gateway; undefined if it does not listen itself. */
  readonly port: () => number | undefined;
}

/**
 * The key for the admin service and the console. It exists as long as no configured credential has the scope `admin`, and comes
 * from the environment or is random.
 */
export class AdminKeys {
  readonly #options: AdminKeysOptions;
  /** The text of a key that was made but is not in use yet. */
  #text: { readonly hash: string; readonly key: string } | undefined;
  #removeFile: (() => void) | undefined;

  constructor(options: AdminKeysOptions) {
    this.#options = options;
  }

  /**
   * The key of a configuration, which is not in use yet.
   *
   * @param former the key in use
   * @throws ConfigError if the key of the environment cannot be used
   */
  keyFor(auth: AuthSettings, former: AdminKey | undefined): AdminKey | undefined {
    const given = process.env[adminKeyVariable] || undefined;
    if (grantsAdmin(auth)) {
      const message = `${adminKeyVariable} is not used, because a configured credential has the scope admin`;
      if (given !== undefined) this.#options.logger.warn({}, message);
      return undefined;
    }
    const { apiKeyHeader } = auth;
    if (given !== undefined) {
      const fault = adminKeyFault(given);
      if (fault !== undefined) throw new ConfigError([{ where: undefined, path: '', message: fault }]);
      const weak = `${adminKeyVariable} has fewer than ${leastCharacters} characters and can be guessed; use a key of a2a-gateway keys new`;
      if (given.length < leastCharacters) this.#options.logger.warn({}, weak);
      return adminKeyOf(given, false, apiKeyHeader);
    }
    if (former) return withHeader(former, apiKeyHeader);
    const key = this.#options.ownKey ?? newAdminKey();
    const made = adminKeyOf(key, true, apiKeyHeader);
    this.#text = { hash: made.hash, key };
    return made;
  }

  /** Makes the key known that is in use from now on. */
  use(key: AdminKey | undefined): void {
    const text = this.#text;
    this.#text = undefined;
    if (!key) this.remove();
    if (!key || text?.hash !== key.hash) return;
    const { onAdminKey, logger } = this.#options;
    const isWritten = this.#write(text.key);
    onAdminKey?.(text.key);
    if (onAdminKey || isWritten) return;
    logger.info({}, 'the admin service is closed: configure a credential with the scope admin, or pass onAdminKey');
  }

  /** Removes the file, when the gateway stops. */
  remove(): void {
    this.#removeFile?.();
    this.#removeFile = undefined;
  }

  /** Writes the key to its file. Returns whether commands on this machine can find it. */
  #write(key: string): boolean {
    const { config, logger, ownStore, port: listening } = this.#options;
    const port = listening();
    const { store } = config;
    if (ownStore || port === undefined || !store.startsWith('sqlite:')) return false;
    const file = join(dirname(store.slice('sqlite:'.length)), adminKeyFileName);
    const scheme = config.listen.tls ? 'https' : 'http';
    const listen = loopbackAddresses(config.listen.host).map(
      (address) => new URL(`${scheme}://${address}:${port}`).origin,
    );
    try {
      this.#removeFile = writeAdminKeyFile(file, { key, pid: process.pid, store, listen });
      return true;
    } catch (thrown) {
      const problem = (thrown as Error).message;
      logger.warn({ problem }, 'the admin key is not kept in a file: a2a-gateway admin needs it as --api-key');
      return false;
    }
  }
}

/** The loopback addresses of a listener on this host, in the form of URLs. */
function loopbackAddresses(host: string): readonly string[] {
  const name = host.replace(/^\[(.*)\]$/, '$1').toLowerCase();
  if (name === 'localhost' || name === '::') return ['127.0.0.1', '[::1]'];
  if (name === '0.0.0.0') return ['127.0.0.1'];
  return isLoopbackHost(name) ? [name.includes(':') ? `[${name}]` : name] : [];
}
