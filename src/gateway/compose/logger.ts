import { pino } from 'pino';
import type { Config } from '../../config/types.ts';
import type { Logger } from '../../core/ports/logger.ts';
import { hide, secretsInQuery } from '../../net/hide.ts';
import { Secret } from '../../net/secret.ts';
import { readPostgresUrl } from '../../stores/postgres/url.ts';

/** Causes of an error that are shown, one below the other. */
const deepest = 4;

/** An error as a line of the log shows it. */
interface ShownError {
  readonly type: string;
  readonly message: string;
  readonly stack: string | undefined;
  readonly code?: string;
  readonly cause?: ShownError | string;
}

/**
 * What is said of an error. Its other properties are left out: clients of other services hang whole requests on their
 * errors, with the headers that bore the credentials.
 */
export function shownError(thrown: unknown, depth = 0): ShownError | string {
  if (!(thrown instanceof Error)) return typeof thrown === 'string' ? thrown : `a thrown ${typeof thrown}`;
  const { name, message, stack, code, cause } = thrown as NodeJS.ErrnoException & { readonly cause?: unknown };
  return {
    type: name,
    message,
    stack,
    ...(typeof code === 'string' && { code }),
    ...(cause !== undefined && depth < deepest && { cause: shownError(cause, depth + 1) }),
  };
}

/** The secrets that a configuration holds, wherever they are in it. */
function secretsOf(config: Config): Set<string> {
  const secrets = new Set<string>();
  const search = (value: unknown): void => {
    if (value instanceof Secret) secrets.add(value.reveal());
    else if (value instanceof Map) for (const each of value.values()) search(each);
    else if (typeof value === 'object' && value !== null) for (const each of Object.values(value)) search(each);
    else if (typeof value === 'string') for (const each of secretsOfUrl(value)) secrets.add(each);
  };
  search(config);
  return secrets;
}

/** The password of a URL, and, of one that is called, the values of its query: those of a store's are settings. */
function secretsOfUrl(text: string): string[] {
  const url = /^[a-z]+:\/\/./i.test(text) ? URL.parse(oneHost(text)) : null;
  if (url === null) return [];
  const passwords = [url.password, decoded(url.password)];
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    return [...passwords, ...url.searchParams.getAll('password')];
  return [...passwords, ...secretsInQuery(url)];
}

/** The URL of a store may name several hosts, which no other URL does. */
function oneHost(text: string): string {
  try {
    return text.startsWith('postgres') ? readPostgresUrl(text).connectionString : text;
  } catch {
    return text;
  }
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Puts something else in the place of every secret of a configuration, in lines of JSON. */
export const createRedaction = (config: Config): ((line: string) => string) => hiding(secretsOf(config));

function hiding(secrets: Iterable<string>): (line: string) => string {
  const written = [...secrets]
    .map((secret) => JSON.stringify(secret).slice(1, -1))
    // One may be the beginning of another.
    .sort((a, b) => b.length - a.length);
  return (line) => hide(line, written);
}

/** A log that follows the configuration. */
export interface ConfiguredLogger extends Logger {
  /** From now on no line shows a secret of this configuration, nor of those before. */
  learn(config: Config): void;
  /** From now on what this configuration says is worth a line gets one. */
  follow(config: Config): void;
}

/**
 * The log: lines of JSON on stderr. The code that logs takes care that no secret is in what it logs; agents' own code, and
 * what others' servers say, may not, so that every line is searched for those that the configuration holds.
 */
export function createLogger(config: Config): ConfiguredLogger {
  const secrets = secretsOf(config);
  let redact = hiding(secrets);
  const stderr = pino.destination({ fd: 2, sync: true });
  // A terminal that is gone, a disk that is full: what cannot be told is no reason to stop.
  stderr.on('error', () => {});
  const write = (line: string): void => void stderr.write(redact(line));
  const logger = pino(
    { level: config.log.level, serializers: { err: (thrown: unknown) => shownError(thrown) } },
    { write },
  );
  return Object.assign(logger, {
    learn(another: Config) {
      for (const secret of secretsOf(another)) secrets.add(secret);
      redact = hiding(secrets);
    },
    follow({ log }: Config) {
      logger.level = log.level;
    },
  });
}
