import { percentEncoding, shownUrl } from '../../core/model/shown-url.ts';

/** A server of the database. node-postgres takes absent parts from the environment, or from this machine. */
export interface PostgresServerAddress {
  readonly host?: string;
  readonly port?: number;
}

/** The settings in the URL of a PostgreSQL store. */
export interface PostgresSettings {
  /** The URL without password and settings. */
  readonly shown: string;
  /** The servers, in the order in which they are tried. */
  readonly servers: readonly [PostgresServerAddress, ...PostgresServerAddress[]];
  /** For node-postgres: user, password, database, TLS and its other settings, as a URL. Its host is a placeholder. */
  readonly connectionString: string;
  /** Milliseconds, and connections; see `integerSettings`. */
  readonly limits: Readonly<Record<'max' | 'connect' | 'idle' | 'statement' | 'answer' | 'idleInTransaction', number>>;
  /** Whether to use SCRAM channel binding if the server offers it. */
  readonly channelBinding: boolean;
  /** Whether a pooler may give each transaction of a connection another one of the server: `pool_mode=transaction`. */
  readonly shared: boolean;
}

interface IntegerSetting {
  /** The default value. */
  readonly is: number;
  readonly least: number;
  readonly most: number;
  /** The factor from the written number to milliseconds. */
  readonly unit?: number;
}

const hour = 3_600_000;
/** Milliseconds to wait for the answer after the server has cancelled a statement. */
export const answerMargin = 2_000;

/** Integer settings: the names of node-postgres, and libpq's `connect_timeout` in seconds. */
const integerSettings = {
  /** Largest number of connections in the pool. Connections for LISTEN and for migrations are additional. */
  max: { is: 10, least: 1, most: 1_000 },
  /** Milliseconds to wait for a connection, pooled or new. */
  connectionTimeoutMillis: { is: 5_000, least: 100, most: 60_000 },
  connect_timeout: { is: 5_000, least: 1, most: 60, unit: 1_000 },
  /** Milliseconds after which an unused connection is closed. */
  idleTimeoutMillis: { is: 10_000, least: 100, most: hour },
  /** The server's time-out of a statement; its connection stays usable. */
  statement_timeout: { is: 8_000, least: 100, most: hour },
  /** Milliseconds after which a connection that does not answer is dropped. The default depends on `statement_timeout`. */
  query_timeout: { is: 10_000, least: 100, most: 2 * hour },
  /** The server's time-out of an idle transaction. */
  idle_in_transaction_session_timeout: { is: 10_000, least: 100, most: hour },
} as const satisfies Record<string, IntegerSetting>;

type IntegerName = keyof typeof integerSettings;

/** Settings with a fixed set of values. */
const choiceSettings = new Map<string, readonly string[]>([
  // Only a writable server can be used, regardless of the given value.
  ['target_session_attrs', ['read-write', 'primary']],
  ['channel_binding', ['disable', 'prefer', 'require']],
  ['pool_mode', ['session', 'transaction']],
]);

/** Settings that are passed on to node-postgres. */
const driverSettings = new Set([
  ...['application_name', 'fallback_application_name', 'options', 'user', 'password', 'host', 'port'],
  ...['ssl', 'sslmode', 'sslcert', 'sslkey', 'sslrootcert', 'sslnegotiation', 'uselibpqcompat'],
]);

/** The part of a URL after the `@`, or of a URL without user: hosts, database and settings. */
const addressPattern = /^([^@/?#]*)(\/[^?#]*)?(?:\?([^#]*))?$/;

/** One way to split a URL into its parts. */
interface Reading {
  readonly user: string;
  readonly password: string | undefined;
  readonly hosts: readonly string[];
  /** Name of the database, with its slash. */
  readonly database: string;
  readonly settings: URLSearchParams;
}

/** Whether user and password are encoded as a URL requires, apart from `@`. */
const isEncodedLogin = (login: string): boolean => !/[/?#]/.test(login);

/** A setting within a supposed password: the `@` after it then belongs to the setting. */
const settingInPassword = /[?&](\w+)=/g;

const isSetting = (name: string): boolean =>
  choiceSettings.has(name) || Object.hasOwn(integerSettings, name) || driverSettings.has(name);

/** Splits a URL at the `@` at a position; -1 for a URL without a user. Undefined if it cannot be split there. */
function readAt(text: string, at: number): Reading | undefined {
  const [whole, hosts = '', database = '', query = ''] = addressPattern.exec(text.slice(at + 1)) ?? [];
  if (whole === undefined || hosts + database === '') return undefined;
  const login = text.slice(0, Math.max(at, 0));
  const colon = login.indexOf(':');
  const user = colon < 0 ? login : login.slice(0, colon);
  if (/[/?#]/.test(user)) return undefined;
  const password = colon < 0 ? undefined : login.slice(colon + 1);
  return { user, password, hosts: hosts.split(','), database, settings: new URLSearchParams(query) };
}

/** Whether all parts of a way to split a URL are possible. */
const isPossible = ({ hosts, database, settings }: Reading): boolean =>
  hosts.every((host) => serverOf(host) !== undefined) &&
  !database.slice(1).includes('/') &&
  [...settings.keys()].every(isSetting);

const unreadable = 'The store URL is not of the form postgres://USER:PASSWORD@HOST/DATABASE';

/**
 * Finds user, password and address in a URL. An environment variable may have inserted the password without encoding it, so that
 * any `@` may be the one before the host.
 */
function readingOf(url: string): Reading {
  const text = /^postgres(?:ql)?:\/\/(.*)$/s.exec(url)?.[1];
  if (text === undefined) throw new TypeError(unreadable);
  const places = [-1, ...[...text.matchAll(/@/g)].map(({ index }) => index)];
  const readings = places.flatMap((at) => readAt(text, at) ?? []);
  const possible = readings.filter(isPossible);
  const likely = possible.filter(
    ({ password = '' }) => ![...password.matchAll(settingInPassword)].some(([, name = '']) => isSetting(name)),
  );
  const [reading, ...others] = likely.length > 0 ? likely : possible;
  if (reading === undefined) {
    // An error in the rest of the URL is shown only if it cannot be a part of the password.
    const [only] = readings;
    if (places.length <= 2 && only !== undefined && readings.length === 1 && isEncodedLogin(only.password ?? ''))
      return only;
    throw new TypeError(places.length > 1 ? `${unreadable}; ${percentEncoding}` : unreadable);
  }
  const { password = '' } = reading;
  const isMixed = !isEncodedLogin(password) && /%[\da-f]{2}/i.test(password) && isEncoded(password);
  if (others.length > 0 || isMixed)
    throw new TypeError(`The store URL can be read in several ways; ${percentEncoding}`);
  return reading;
}

/** A user or password with all special characters encoded. A text that cannot have been encoded is used literally. */
const encodedLogin = (text: string): string =>
  encodeURIComponent(isEncodedLogin(text) && isEncoded(text) ? decodeURIComponent(text) : text.toWellFormed());

/** The URL of a store without its password, which may be shown. */
export function shownStore(store: string): string {
  if (!store.startsWith('postgres')) return store;
  try {
    return readPostgresUrl(store).shown;
  } catch {
    return shownUrl(store);
  }
}

/**
 * Parses `postgres://USER:PASSWORD@HOST:PORT/DATABASE`, with several hosts separated by commas and settings after a
 * question mark. Throws TypeError with a message that contains no secret.
 */
export function readPostgresUrl(url: string): PostgresSettings {
  const { user, password, hosts, database, settings } = readingOf(url);
  const name = encodedLogin(user);
  const login = password === undefined ? name : `${name}:${encodedLogin(password)}`;
  const shown = shownUrl(`postgres://${name && `${name}@`}${hosts.join(',')}${database.replaceAll('@', '%40')}`);
  const refuse = (what: string): never => {
    throw new TypeError(`The store ${shown} ${what}`);
  };
  const integer = (setting: IntegerName): number => {
    const { is, least, most, unit = 1 }: IntegerSetting = integerSettings[setting];
    const text = settings.get(setting);
    if (text === null) return is;
    const value = /^\d+$/.test(text) ? Number(text) : Number.NaN;
    return value >= least && value <= most
      ? value * unit
      : refuse(`has an invalid ${setting}: expected ${least} to ${most}`);
  };
  for (const [setting, value] of settings) {
    const known = choiceSettings.get(setting);
    if (known && !known.includes(value)) refuse(`has an invalid ${setting}: expected ${known.join(' or ')}`);
    if (!isSetting(setting)) refuse(value === '' ? 'has an unknown setting' : `has an unknown setting: ${setting}`);
  }
  const servers = hosts.map((text) => serverOf(text) ?? refuse(`has an invalid host; ${percentEncoding}`));
  const left = [...settings].filter(([setting]) => driverSettings.has(setting));
  if (servers.length > 1 && left.some(([setting]) => setting === 'host' || setting === 'port')) {
    refuse('names its host twice: before the question mark and after it');
  }
  const rest = left.map(([setting, value]) => `${setting}=${encodeURIComponent(value)}`).join('&');
  const connectionString = `postgres://${login}${login && '@localhost'}${database}${rest && `?${rest}`}`;
  if (!URL.canParse(connectionString)) refuse('has an invalid database name');
  const statement = integer('statement_timeout');
  return {
    shown,
    servers: servers as [PostgresServerAddress, ...PostgresServerAddress[]],
    connectionString,
    limits: {
      max: integer('max'),
      connect: integer(settings.has('connect_timeout') ? 'connect_timeout' : 'connectionTimeoutMillis'),
      idle: integer('idleTimeoutMillis'),
      statement,
      answer: settings.has('query_timeout') ? integer('query_timeout') : statement + answerMargin,
      idleInTransaction: integer('idle_in_transaction_session_timeout'),
    },
    channelBinding: ['prefer', 'require'].includes(settings.get('channel_binding') ?? ''),
    shared: settings.get('pool_mode') === 'transaction',
  };
}

function serverOf(text: string): PostgresServerAddress | undefined {
  const [, bracketed, plain, port] = /^(?:\[([^\]]+)\]|([\p{L}\p{N}_.%~-]*))(?::(\d{1,5}))?$/u.exec(text) ?? [];
  const host = bracketed ?? plain;
  if (host === undefined || Number(port ?? 1) > 65_535 || port === '0') return undefined;
  return { ...(host && { host: decodeHost(host) }), ...(port && { port: Number(port) }) };
}

function isEncoded(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}

/** Decodes a host. The folder of a Unix socket is written `%2Frun%2Fpostgresql`. */
const decodeHost = (host: string): string => (isEncoded(host) ? decodeURIComponent(host) : host);
