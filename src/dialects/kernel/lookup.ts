import type { Dialect } from './dialect.ts';
import type { LocalMethod, Method, WireProtocol } from './wire.ts';

/** A dialect in which a method name exists. */
export type NamedMethod =
  | { readonly dialect: Dialect; readonly method: Method; readonly local?: undefined }
  | { readonly dialect: Dialect; readonly method?: undefined; readonly local: LocalMethod };

/** The extension that has the method. */
export interface ExtensionMethod {
  readonly dialect: WireProtocol;
  readonly method: Method;
  readonly local?: undefined;
}

/** At least one. */
export type NamedMethods = readonly [NamedMethod, ...NamedMethod[]];

/** The dialects of a gateway, and the look-ups over them. */
export interface Dialects {
  /** In the order of the registry. */
  readonly list: readonly Dialect[];
  /** For callers whose requests do not show a dialect: 0.3 (A2A 1.0.1 section 3.6.2), where it is in the list. */
  readonly default: Dialect;
  readonly byName: ReadonlyMap<string, Dialect>;
  /** By major.minor of `A2A-Version`. */
  readonly byVersion: ReadonlyMap<string, Dialect>;
  /** The dialects that have a JSON-RPC method, in the order of the registry, without those whose version must be named. */
  readonly byMethod: ReadonlyMap<string, NamedMethods>;
  /** Served with every dialect. */
  readonly extensions: readonly WireProtocol[];
  /** The dialects and the extensions. */
  readonly protocols: readonly WireProtocol[];
  /** JSON-RPC methods of extensions, which are the same in every dialect. */
  readonly extensionMethods: ReadonlyMap<string, ExtensionMethod>;
}

/** Only major and minor count: `1.0.3` is `1.0`. Any other text stays as it is. */
export function majorMinor(version: string): string {
  return /^\s*(\d+\.\d+)(?:\.\d+)?\s*$/.exec(version)?.[1] ?? version;
}

/**
 * The look-ups over a list of dialects, the preferred ones first.
 *
 * @throws TypeError when the list is empty, or when two share a name or a version
 */
export function dialectsOf(list: readonly Dialect[], extensions: readonly WireProtocol[] = []): Dialects {
  const byName = new Map<string, Dialect>();
  const byVersion = new Map<string, Dialect>();
  const byMethod = new Map<string, [NamedMethod, ...NamedMethod[]]>();
  for (const dialect of list) {
    add(byName, dialect.name, dialect);
    for (const version of dialect.versions) add(byVersion, version, dialect);
    if (dialect.needsVersion) continue;
    for (const [name, method] of dialect.jsonrpc?.methods ?? []) addNamed(byMethod, name, { dialect, method });
    for (const [name, local] of dialect.jsonrpc?.local ?? []) addNamed(byMethod, name, { dialect, local });
  }
  const extensionMethods = new Map<string, ExtensionMethod>();
  for (const dialect of extensions) {
    for (const [name, method] of dialect.jsonrpc?.methods ?? []) add(extensionMethods, name, { dialect, method });
  }
  const preferred = byName.get('a2a-0.3') ?? list[0];
  if (!preferred) throw new TypeError('There are no dialects.');
  return {
    list,
    default: preferred,
    byName,
    byVersion,
    byMethod,
    extensions,
    protocols: [...list, ...extensions],
    extensionMethods,
  };
}

function addNamed(map: Map<string, [NamedMethod, ...NamedMethod[]]>, name: string, one: NamedMethod): void {
  const named = map.get(name);
  if (named) named.push(one);
  else map.set(name, [one]);
}

function add<T>(map: Map<string, T>, key: string, value: T): void {
  if (map.has(key)) throw new TypeError(`Two dialects claim ${key}.`);
  map.set(key, value);
}
