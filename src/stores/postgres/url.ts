/** A server of the database. What is absent, node-postgres takes from the environment, or it is this machine. */
export interface PostgresServerAddress {
  readonly host?: string;
  readonly port?: number;
}

/** The settings in the URL of a PostgreSQL store. */
export interface PostgresSettings {
  /** The URL without password and settings. */
  readonly shown: string;
  /** In the order in which they are tried. */
  readonly servers: readonly [PostgresServerAddress, ...PostgresServerAddress[]];
  /** For node-postgres: user, password, database, TLS and its other settings, as a URL. Its host is a placeholder. */
  readonly connectionString: string;
  /** Milliseconds, and connections; see `integerSettings`. */
  readonly limits: Readonly<Record<'max' | 'connect' | 'idle' | 'statement' | 'answer' | 'idleInTransaction', number>>;
  /** Whether to use SCRAM channel binding where the server offers it. */
  readonly channelBinding: boolean;
  /** Whether a pooler may give each transaction of a connection another one of the server: `pool_mode=transaction`. */
  readonly shared: boolean;
}

interface IntegerSetting {
  /** The default. */
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
  /** Connections in the pool at most. Connections for LISTEN and for migrations come on top. */
  max: { is: 10, least: 1, most: 1_000 },
  /** How long to wait for a connection, pooled or new. */
  connectionTimeoutMillis: { is: 5_000, least: 100, most: 60_000 },
  connect_timeout: { is: 5_000, least: 1, most: 60, unit: 1_000 },
  /** After which an unused connection is closed. */
  idleTimeoutMillis: { is: 10_000, least: 100, most: hour },
  /** The server's time-out of a statement; its connection stays usable. */
  statement_timeout: { is: 8_000, least: 100, most: hour },
  /** After which a connection that does not answer is dropped. Its default depends on `statement_timeout`. */
  query_timeout: { is: 10_000, least: 100, most: 2 * hour },
  /** The server's time-out of an idle transaction. */
  idle_in_transaction_session_timeout: { is: 10_000, least: 100, most: hour },
} as const satisfies Record<string, IntegerSetting>;

type IntegerName = keyof typeof integerSettings;

/** Settings with a fixed set of values. */
const choiceSettings = new Map<string, readonly string[]>([
  // Only a writable server is of use, whichever value is given.
  ['target_session_attrs', ['read-write', 'primary']],
  ['channel_binding', ['disable', 'prefer', 'require']],
  ['pool_mode', ['session', 'transaction']],
]);

/** Settings that are passed on to node-postgres. */
const driverSettings = new Set([
  ...['application_name', 'fallback_application_name', 'options', 'user', 'password', 'host', 'port'],
  ...['ssl', 'sslmode', 'sslcert', 'sslkey', 'sslrootcert', 'sslnegotiation', 'uselibpqcompat'],
]);

const urlPattern = /^postgres(?:ql)?:\/\/(?:([^/?#]*)@)?([^@/?#]*)(\/[^?#]*)?(?:\?([^#]*))?$/;

const untilPassword = /^postgres(?:ql)?:\/\/[^:@/?#]*:/;

/** Percent-encodes the password: an environment variable may have inserted it raw. It ends at the last `@`. */
function encodePassword(url: string): string {
  const start = untilPassword.exec(url)?.[0].length;
  const end = url.lastIndexOf('@');
  if (start === undefined || end < start || url.includes('#', end)) return url;
  return url.slice(0, start) + encodeURIComponent(url.slice(start, end)) + url.slice(end);
}

/**
 * Parses `postgres://USER:PASSWORD@HOST:PORT/DATABASE`, with several hosts separated by commas and settings after a
 * question mark. Throws TypeError with a message that contains no secret.
 */
export function readPostgresUrl(url: string): PostgresSettings {
  const text = urlPattern.test(url) ? url : encodePassword(url);
  const [whole, user = '', hosts = '', database = '', query = ''] = urlPattern.exec(text) ?? [];
  const login = user && `${user}@`;
  if (!whole || hosts + database === '')
    throw new TypeError('The store URL is not of the form postgres://USER:PASSWORD@HOST/DATABASE');
  const [name = ''] = user.split(':', 1);
  const shown = `postgres://${name && `${name}@`}${hosts}${database}`;
  const refuse = (what: string): never => {
    throw new TypeError(`The store ${shown} ${what}`);
  };
  const parameters = new URLSearchParams(query);
  const integer = (setting: IntegerName): number => {
    const { is, least, most, unit = 1 }: IntegerSetting = integerSettings[setting];
    const text = parameters.get(setting);
    if (text === null) return is;
    const value = /^\d+$/.test(text) ? Number(text) : Number.NaN;
    return value >= least && value <= most
      ? value * unit
      : refuse(`has an invalid ${setting}: expected ${least} to ${most}`);
  };
  for (const [setting, value] of parameters) {
    const known = choiceSettings.get(setting);
    if (known && !known.includes(value)) refuse(`has an invalid ${setting}: expected ${known.join(' or ')}`);
    if (!known && !Object.hasOwn(integerSettings, setting) && !driverSettings.has(setting))
      refuse(`has an unknown setting: ${setting}`);
  }
  const servers = hosts.split(',').map((text) => serverOf(text) ?? refuse('has an invalid host'));
  const left = [...parameters].filter(([setting]) => driverSettings.has(setting));
  if (servers.length > 1 && left.some(([setting]) => setting === 'host' || setting === 'port')) {
    refuse('names its host twice: before the question mark and after it');
  }
  const rest = left.map(([setting, value]) => `${setting}=${encodeURIComponent(value)}`).join('&');
  const connectionString = `postgres://${login}${login && 'localhost'}${database}${rest && `?${rest}`}`;
  if (!URL.canParse(connectionString) || !isEncoded(user)) refuse('has a user or password that is not percent-encoded');
  const statement = integer('statement_timeout');
  return {
    shown,
    servers: servers as [PostgresServerAddress, ...PostgresServerAddress[]],
    connectionString,
    limits: {
      max: integer('max'),
      connect: integer(parameters.has('connect_timeout') ? 'connect_timeout' : 'connectionTimeoutMillis'),
      idle: integer('idleTimeoutMillis'),
      statement,
      answer: parameters.has('query_timeout') ? integer('query_timeout') : statement + answerMargin,
      idleInTransaction: integer('idle_in_transaction_session_timeout'),
    },
    channelBinding: ['prefer', 'require'].includes(parameters.get('channel_binding') ?? ''),
    shared: parameters.get('pool_mode') === 'transaction',
  };
}

function serverOf(text: string): PostgresServerAddress | undefined {
  const [, bracketed, plain, port] = /^(?:\[([^\]]+)\]|([^:[\]\s]*))(?::(\d{1,5}))?$/.exec(text) ?? [];
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

/** The folder of a Unix socket is written `%2Frun%2Fpostgresql`. */
const decodeHost = (host: string): string => (isEncoded(host) ? decodeURIComponent(host) : host);
