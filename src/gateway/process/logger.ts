import { isatty } from 'node:tty';
import { styleText } from 'node:util';
import { pino } from 'pino';
import { splitSettings } from '../../config/module-sections.ts';
import type { Config } from '../../config/types.ts';
import { isObject, type JsonObject, parsedJson } from '../../core/model/json.ts';
import { authorFrames } from '../../core/model/stack.ts';
import { withoutControls } from '../../core/model/text.ts';
import type { Logger } from '../../core/ports/logger.ts';
import { hide, Secret, secretsInQuery } from '../../net/secret.ts';
import { readPostgresUrl } from '../../stores/postgres/url.ts';

/** Largest number of nested causes of an error that are logged. */
const deepest = 4;

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

function secretsOf(config: Config): Set<string> {
  const secrets = new Set<string>();
  const search = (value: unknown): void => {
    if (value instanceof Secret) secrets.add(value.reveal());
    else if (value instanceof Map) for (const each of value.values()) search(each);
    else if (typeof value === 'object' && value !== null) for (const each of Object.values(value)) search(each);
    else if (typeof value === 'string') for (const each of secretsOfUrl(value)) secrets.add(each);
  };
  // Settings of agents and hooks in code are not searched: their authors are responsible for them, and they may be large.
  const agents = [...config.agents.values()].map((agent) =>
    agent.kind === 'code' ? splitSettings(agent).ofModules : agent,
  );
  search({ ...config, agents, auth: { ...config.auth, hooks: config.auth.hooks?.module } });
  if (config.tracing?.inFile === false) search(exporterVariables());
  return secrets;
}

/** The variables that name the receiver of telemetry, and the secrets in its headers: `NAME=VALUE,…`. */
function exporterVariables(): unknown[] {
  const set = Object.entries(process.env).filter(([name]) => name.startsWith('OTEL_EXPORTER_OTLP_'));
  return set.map(([name, value = '']) =>
    name.endsWith('_HEADERS') ? value.split(',').map((each) => new Secret(each.replace(/^[^=]*=/, '').trim())) : value,
  );
}

/**
 * The passwords of a URL, the tokens of NATS and, for HTTP, the values of its query. The query of a store's URL contains
 * settings.
 */
function secretsOfUrl(text: string): string[] {
  if (/^(?:nats|tls):/.test(text)) {
    const urls = text.split(',').flatMap((each) => URL.parse(each.trim()) ?? []);
    const secrets = urls.map(({ username, password }) => password || username);
    return secrets.flatMap((secret) => [secret, decoded(secret)]);
  }
  const url = /^[a-z]+:\/\/./i.test(text) ? URL.parse(oneHost(text)) : null;
  if (url === null) return [];
  const passwords = [url.password, decoded(url.password)];
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    return [...passwords, ...url.searchParams.getAll('password')];
  return [...passwords, ...secretsInQuery(url)];
}

/** A URL of PostgreSQL with one host. It may name several, which `URL` cannot parse. */
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
    // Longest first, because one secret may be the beginning of another.
    .sort((a, b) => b.length - a.length);
  return (line) => hide(line, written);
}

/** A log that follows the configuration. */
export interface ConfiguredLogger extends Logger {
  /** Adds the secrets of this configuration to those that are redacted. */
  learn(config: Config): void;
  /** Applies the log level and format of this configuration. */
  follow(config: Config): void;
  /** Also passes every later line to `write`, as JSON. */
  copyTo(write: (line: string) => void): void;
}

/**
 * The log on stderr: lines of JSON, or lines for people on a terminal. The gateway itself logs no secrets, but code of agents and
 * texts of other servers may contain some. Therefore every line is searched for the secrets of the configuration.
 */
export function createLogger(config: Config): ConfiguredLogger {
  const secrets = secretsOf(config);
  let redact = hiding(secrets);
  const stderr = pino.destination({ fd: 2, sync: true });
  // A closed terminal or a full disk must not stop the gateway.
  stderr.on('error', () => {});
  const isTerminal = isatty(2);
  let readable = isReadable(config);
  let copy: ((line: string) => void) | undefined;
  const write = (line: string): void => {
    const redacted = redact(line);
    copy?.(redacted);
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
    copyTo(another: (line: string) => void) {
      copy = another;
    },
  });
}

const isReadable = ({ log: { format } }: Config): boolean => format === 'text' || (format === 'auto' && isatty(2));

type Color = Parameters<typeof styleText>[0];

/** Fields that are left out of readable lines. */
const notShown: ReadonlySet<string> = new Set(['pid', 'hostname', 'request', 'trace', 'span']);

/** The levels of pino. */
const levels: readonly (readonly [from: number, name: string, color: Color])[] = [
  [50, 'ERROR', 'red'],
  [40, 'WARN ', 'yellow'],
  [30, 'INFO ', 'green'],
  [0, 'DEBUG', 'gray'],
];

type Paint = (color: Color, text: string) => string;

/** Applies colors if stderr is a terminal, unless `NO_COLOR` is set. */
const onStderr: Paint = (color, text) => styleText(color, text, { stream: process.stderr });

/**
 * A line of the log for people: time, level, message, fields, and the stack of an error below it. Control characters, which
 * agents may have written, are replaced.
 *
 * @param json a line as pino writes it
 */
export function readableLine(json: string, paint: Paint = onStderr): string {
  const record = parsedJson(json);
  // Replacing a secret may have made the line invalid JSON.
  if (!isObject(record)) return `${withoutControls(json.trimEnd())}\n`;
  const { time, level, msg, err, ...others } = record;
  const [, name, color] = levels.find(([from]) => Number(level) >= from) ?? ([0, 'DEBUG', 'gray'] as const);
  const at = new Date(Number(time)).toTimeString().slice(0, 8);
  const fields = fieldsOf(others).map(([key, value]) => `${paint('cyan', withoutControls(key))}=${shown(value)}`);
  const line = [paint('gray', at), paint(color, name), oneLine(String(msg ?? '')), ...fields].join(' ');
  return `${line}\n${err === undefined ? '' : errorLines(err, '  ', paint)}`;
}

const oneLine = (text: string): string => withoutControls(text.replace(/\s+/g, ' '));

/** The fields to show, including those of nested objects. */
function fieldsOf(record: JsonObject, prefix = ''): [key: string, value: unknown][] {
  return Object.entries(record).flatMap(([key, value]): [string, unknown][] => {
    if (isObject(value)) return fieldsOf(value, `${prefix}${key}.`);
    const isEmpty = value === '' || (Array.isArray(value) && value.length === 0);
    const isUsual = key === 'principal' && value === 'anonymous';
    return notShown.has(key) || isEmpty || isUsual ? [] : [[prefix + key, value]];
  });
}

/** A text of one word unchanged; any other value as JSON. */
function shown(value: unknown): string {
  const simple = Array.isArray(value) ? value.join(',') : value;
  const text = typeof simple === 'string' && /^[^\s"=]+$/.test(simple) ? simple : JSON.stringify(value);
  return withoutControls(text);
}

/** The lines of an error with its causes. The stack shows the calls in the code of agents, or all calls if there are none. */
function errorLines(error: unknown, indent: string, paint: Paint): string {
  if (!isObject(error)) return `${indent}${oneLine(String(error))}\n`;
  const { type, message, stack, cause } = error;
  const own = authorFrames(stack);
  const frames = own.length > 0 ? own : (String(stack ?? '').match(/^ +at .*$/gm) ?? []);
  const calls = frames.map((frame) => `${paint('gray', `${indent}  ${oneLine(frame.trim())}`)}\n`);
  const reason = cause === undefined ? '' : `${indent}caused by:\n${errorLines(cause, `${indent}  `, paint)}`;
  return `${indent}${oneLine(`${String(type)}: ${String(message)}`)}\n${calls.join('')}${reason}`;
}
