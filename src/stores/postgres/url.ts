/** One of the servers on which the database may be. */
export interface PostgresServerAddress {
  /** Undefined: as node-postgres finds it, from the environment or on this machine. */
  readonly host: string | undefined;
  readonly port: number | undefined;
}

/** Milliseconds, and connections. */
export interface PostgresLimits {
  /** Connections at the same time, at most, for everything but listening and changing the schema. */
  readonly max: number;
  /** How long a connection is waited for, be it one that others use or a new one. */
  readonly connect: number;
  /** After which a connection that nobody uses is closed. */
  readonly idle: number;
  /** What the server gives a statement; its connection stays usable. */
  readonly statement: number;
  /** After which a connection that does not answer is given up. */
  readonly answer: number;
  /** What the server gives a transaction that nobody goes on with. */
  readonly idleInTransaction: number;
}

/** What the URL of a PostgreSQL store says. */
export interface PostgresSettings {
  /** The URL as it may be shown: without a password, and without settings. */
  readonly shown: string;
  /** In the order in which they are tried. */
  readonly servers: readonly [PostgresServerAddress, ...PostgresServerAddress[]];
  /**
   * For node-postgres: user, password, database, TLS, whatever is not in the others, as a URL with one host, which is
   * not to be taken from it.
   */
  readonly connectionString: string;
  readonly limits: PostgresLimits;
  /** Whether the password is tied to the TLS connection where the server offers that. */
  readonly channelBinding: boolean;
}

interface IntegerSetting {
  readonly is: number;
  readonly least: number;
  readonly most: number;
  /** Milliseconds, or whatever else is counted, in one of what is written. */
  readonly unit?: number;
}

const hour = 3_600_000;

/** Settings that are whole numbers: node-postgres's names, and libpq's `connect_timeout`, which is in seconds. */
const integerSettings = {
  max: { is: 10, least: 1, most: 1_000 },
  connect_timeout: { is: 5_000, least: 1, most: 60, unit: 1_000 },
  connectionTimeoutMillis: { is: 5_000, least: 100, most: 60_000 },
  idleTimeoutMillis: { is: 10_000, least: 100, most: hour },
  statement_timeout: { is: 8_000, least: 100, most: hour },
  query_timeout: { is: 10_000, least: 100, most: 2 * hour },
  idle_in_transaction_session_timeout: { is: 10_000, least: 100, most: hour },
} as const satisfies Record<string, IntegerSetting>;

/** Milliseconds that the answer to a statement which the server gave up is waited for. */
const answerMargin = 2_000;

/** Settings that are one of a few words. */
const choiceSettings = new Map<string, readonly string[]>([
  // Only a server that takes writes is of use, whatever is written.
  ['target_session_attrs', ['read-write', 'primary']],
  ['channel_binding', ['disable', 'prefer', 'require']],
]);

/** Settings that node-postgres reads from the URL. */
const driverSettings = new Set([
  ...['application_name', 'fallback_application_name', 'options', 'user', 'password', 'host', 'port'],
  ...['ssl', 'sslmode', 'sslcert', 'sslkey', 'sslrootcert', 'sslnegotiation', 'uselibpqcompat'],
]);

const urlPattern = /^postgres(?:ql)?:\/\/(?:([^/?#]*)@)?([^@/?#]*)(\/[^?#]*)?(?:\?([^#]*))?$/;

const untilPassword = /^postgres(?:ql)?:\/\/[^:@/?#]*:/;

/** The URL with its password encoded: an environment variable may have put it there as it is. It ends at the last `@`. */
function encodePassword(url: string): string {
  const start = untilPassword.exec(url)?.[0].length;
  const end = url.lastIndexOf('@');
  if (start === undefined || end < start || url.includes('#', end)) return url;
  return url.slice(0, start) + encodeURIComponent(url.slice(start, end)) + url.slice(end);
}

/**
 * Reads `postgres://USER:PASSWORD@HOST:PORT/DATABASE`, where there may be several hosts, separated by commas, and
 * settings after a question mark. Throws TypeError with a message that shows no secret.
 */
export function readPostgresUrl(url: string): PostgresSettings {
  const text = urlPattern.test(url) ? url : encodePassword(url);
  const [whole, user = '', hosts = '', database = '', query = ''] = urlPattern.exec(text) ?? [];
  const login = user && `${user}@`;
  if (!whole || hosts + database === '') throw new TypeError('The store is no postgres://USER:PASSWORD@HOST/DATABASE');
  const [name = ''] = user.split(':', 1);
  const shown = `postgres://${name && `${name}@`}${hosts}${database}`;
  const refuse = (what: string): never => {
    throw new TypeError(`The store ${shown} ${what}`);
  };
  const parameters = new URLSearchParams(query);
  const integer = (setting: keyof typeof integerSettings): number | undefined => {
    const text = parameters.get(setting);
    if (text === null) return undefined;
    const { least, most, unit = 1 }: IntegerSetting = integerSettings[setting];
    const value = /^\d+$/.test(text) ? Number(text) : Number.NaN;
    return value >= least && value <= most ? value * unit : refuse(`wants ${setting} from ${least} to ${most}`);
  };
  for (const [setting, value] of parameters) {
    const known = choiceSettings.get(setting);
    if (known && !known.includes(value)) refuse(`wants ${setting} to be ${known.join(' or ')}`);
    if (!known && !Object.hasOwn(integerSettings, setting) && !driverSettings.has(setting))
      refuse(`has a setting that is not known: ${setting}`);
  }
  const servers = hosts.split(',').map((text) => serverOf(text) ?? refuse('has a host that cannot be read'));
  const left = [...parameters].filter(([setting]) => driverSettings.has(setting));
  if (servers.length > 1 && left.some(([setting]) => setting === 'host' || setting === 'port')) {
    refuse('names hosts twice');
  }
  const rest = left.map(([setting, value]) => `${setting}=${encodeURIComponent(value)}`).join('&');
  const connectionString = `postgres://${login}${login && 'localhost'}${database}${rest && `?${rest}`}`;
  if (!URL.canParse(connectionString) || !isEncoded(user))
    refuse('has a user or a password that is not encoded as URLs want it');
  const statement = integer('statement_timeout') ?? integerSettings.statement_timeout.is;
  return {
    shown,
    servers: servers as [PostgresServerAddress, ...PostgresServerAddress[]],
    connectionString,
    limits: {
      max: integer('max') ?? integerSettings.max.is,
      connect:
        integer('connect_timeout') ?? integer('connectionTimeoutMillis') ?? integerSettings.connectionTimeoutMillis.is,
      idle: integer('idleTimeoutMillis') ?? integerSettings.idleTimeoutMillis.is,
      statement,
      answer: integer('query_timeout') ?? statement + answerMargin,
      idleInTransaction:
        integer('idle_in_transaction_session_timeout') ?? integerSettings.idle_in_transaction_session_timeout.is,
    },
    channelBinding: ['prefer', 'require'].includes(parameters.get('channel_binding') ?? ''),
  };
}

function serverOf(text: string): PostgresServerAddress | undefined {
  const [, bracketed, plain, port] = /^(?:\[([^\]]+)\]|([^:[\]\s]*))(?::(\d{1,5}))?$/.exec(text) ?? [];
  const host = bracketed ?? plain;
  if (host === undefined || Number(port ?? 1) > 65_535 || port === '0') return undefined;
  return { host: decodeHost(host) || undefined, port: port === undefined ? undefined : Number(port) };
}

function isEncoded(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}

/** A socket's folder is written `%2Frun%2Fpostgresql`. */
const decodeHost = (host: string): string => (isEncoded(host) ? decodeURIComponent(host) : host);
