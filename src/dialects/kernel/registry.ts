import type { Api } from '../../gen/api.ts';
import { api as knowledgeApi } from '../../gen/knowledge-v1/index.ts';
import { a2a01 } from '../a2a-0.1/index.ts';
import { a2a02 } from '../a2a-0.2/index.ts';
import { a2a03 } from '../a2a-0.3/index.ts';
import { v1Dialect } from '../a2a-1.0/index.ts';
import { a2aPhp03 } from '../a2a-php-0.3/index.ts';
import { agentVault } from '../agentvault-0.2/index.ts';
import type { Dialect, LocalMethod, Method, Spoken } from './dialect.ts';
import { knowledgeSpoken } from './knowledge.ts';

/** A dialect in which a method name exists. */
export type NamedMethod =
  | { readonly dialect: Dialect; readonly method: Method; readonly local?: undefined }
  | { readonly dialect: Dialect; readonly method?: undefined; readonly local: LocalMethod };

/** The extension whose method it is. */
export interface ExtensionMethod {
  readonly dialect: Spoken;
  readonly method: Method;
  readonly local?: undefined;
}

/** At least one. */
export type NamedMethods = readonly [NamedMethod, ...NamedMethod[]];

/** The dialects that a gateway speaks, and the look-ups over them. */
export interface Dialects {
  /** In the order of the registry. */
  readonly list: readonly Dialect[];
  /** Spoken to callers who give no sign of theirs: the 0.3 family (A2A 1.0.1 section 3.6.2), where it is there. */
  readonly default: Dialect;
  readonly byName: ReadonlyMap<string, Dialect>;
  /** By major.minor of `A2A-Version`. */
  readonly byVersion: ReadonlyMap<string, Dialect>;
  /** The dialects that know a JSON-RPC method, in the order of the registry. */
  readonly byMethod: ReadonlyMap<string, NamedMethods>;
  /** Served beside every dialect. */
  readonly extensions: readonly Spoken[];
  /** The dialects and the extensions. */
  readonly spoken: readonly Spoken[];
  /** JSON-RPC methods of extensions, which mean the same in every dialect. */
  readonly extensionMethods: ReadonlyMap<string, ExtensionMethod>;
}

/** A dialect is one row here and one file beside this one. */
const rows: readonly ((api: Api) => Dialect)[] = [
  v1Dialect,
  () => a2a03,
  () => a2a02,
  () => a2a01,
  () => agentVault,
  () => a2aPhp03,
];

/** The extensions that are served beside every dialect: one row here and one file beside this one each. */
export const extensions: readonly Spoken[] = [knowledgeSpoken(knowledgeApi)];

/** All dialects of this version of the gateway over `api`, the generated A2A 1.0. */
export const createDialects = (api: Api): Dialects =>
  dialectsOf(
    rows.map((row) => row(api)),
    extensions,
  );

/**
 * The look-ups over a list of dialects. Throws TypeError when it is empty, or when two share a name or a version.
 *
 * @param list in the order in which dialects are preferred where nothing else decides
 * @param beside extensions; none by default
 */
export function dialectsOf(list: readonly Dialect[], beside: readonly Spoken[] = []): Dialects {
  const byName = new Map<string, Dialect>();
  const byVersion = new Map<string, Dialect>();
  const byMethod = new Map<string, [NamedMethod, ...NamedMethod[]]>();
  for (const dialect of list) {
    add(byName, dialect.name, dialect);
    for (const version of dialect.versions) add(byVersion, version, dialect);
    for (const [name, method] of dialect.jsonrpc?.methods ?? []) addNamed(byMethod, name, { dialect, method });
    for (const [name, local] of dialect.jsonrpc?.local ?? []) addNamed(byMethod, name, { dialect, local });
  }
  const extensionMethods = new Map<string, ExtensionMethod>();
  for (const dialect of beside) {
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
    extensions: beside,
    spoken: [...list, ...beside],
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
