import { isatty } from 'node:tty';
import { pino } from 'pino';
import type { Config } from '../../config/types.ts';
import { withoutControls } from '../../core/model/text.ts';
import type { Logger } from '../../core/ports/logger.ts';
import { hide, Secret, secretsInQuery } from '../../net/secret.ts';
import { readPostgresUrl } from '../../stores/postgres/url.ts';
import { readableLine } from './log-text.ts';

/** The most nested causes of an error that are logged. */
const deepest = 4;

/** An error in the log. */
interface ShownError {
  readonly type: string;
  readonly message: string;
  readonly stack: string | undefined;
  readonly code?: string;
  readonly cause?: ShownError | string;
}

/**
 * The loggable part of an error. Its other properties are left out: client libraries attach whole requests to their errors,
 * with the credentials in the headers.
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

/** All secrets in a configuration. */
function secretsOf(config: Config): Set<string> {
  const secrets = new Set<string>();
  const search = (value: unknown): void => {
    if (value instanceof Secret) secrets.add(value.reveal());
    else if (value instanceof Map) for (const each of value.values()) search(each);
    else if (typeof value === 'object' && value !== null) for (const each of Object.values(value)) search(each);
    else if (typeof value === 'string') for (const each of secretsOfUrl(value)) secrets.add(each);
  };
  // What agents and hooks in code hold is their own affair, and may be large.
  const agents = [...config.agents.values()].map((agent) => (agent.kind === 'code' ? agent.knowledge : agent));
  search({ ...config, agents, auth: { ...config.auth, hooks: config.auth.hooks?.module } });
  return secrets;
}

/** The password of a URL and, for HTTP, the values of its query. The query of a store's URL holds settings. */
function secretsOfUrl(text: string): string[] {
  const url = /^[a-z]+:\/\/./i.test(text) ? URL.parse(oneHost(text)) : null;
  if (url === null) return [];
  const passwords = [url.password, decoded(url.password)];
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    return [...passwords, ...url.searchParams.getAll('password')];
  return [...passwords, ...secretsInQuery(url)];
}

/** The URL of PostgreSQL may name several hosts, which `URL` cannot parse. */
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

/** Replaces every secret of a configuration in lines of JSON. */
export const createRedaction = (config: Config): ((line: string) => string) => hiding(secretsOf(config));

function hiding(secrets: Iterable<string>): (line: string) => string {
  const written = [...secrets]
    .map((secret) => JSON.stringify(secret).slice(1, -1))
    // Longest first: one may be the beginning of another.
    .sort((a, b) => b.length - a.length);
  return (line) => hide(line, written);
}

/** A log that follows the configuration. */
export interface ConfiguredLogger extends Logger {
  /** Redacts the secrets of this configuration too, besides those of earlier ones. */
  learn(config: Config): void;
  /** Applies the log level and format of this configuration. */
  follow(config: Config): void;
}

/**
 * The log on stderr: lines of JSON, or lines for people on a terminal. The gateway logs no secrets itself, but agents' code and the texts of other servers may
 * hold some, so that every line is searched for the secrets of the configuration.
 */
export function createLogger(config: Config): ConfiguredLogger {
  const secrets = secretsOf(config);
  let redact = hiding(secrets);
  const stderr = pino.destination({ fd: 2, sync: true });
  // A closed terminal or a full disk must not stop the gateway.
  stderr.on('error', () => {});
  const isTerminal = isatty(2);
  let readable = isReadable(config);
  const write = (line: string): void => {
    const redacted = redact(line);
    stderr.write(readable ? readableLine(redacted) : isTerminal ? withoutControls(redacted) : redacted);
  };
  const logger = pino(
    { level: config.log.level, serializers: { err: (thrown: unknown) => shownError(thrown) } },
    { write },
  );
  return Object.assign(logger, {
    learn(another: Config) {
      for (const secret of secretsOf(another)) secrets.add(secret);
      redact = hiding(secrets);
    },
    follow(another: Config) {
      logger.level = another.log.level;
      readable = isReadable(another);
    },
  });
}

const isReadable = ({ log: { format } }: Config): boolean => format === 'text' || (format === 'auto' && isatty(2));
