import { A2AError } from '../../core/model/errors.ts';
import { isObject } from '../../core/model/json.ts';
import { shortened } from '../../core/model/text.ts';
import type { Dialect } from './dialect.ts';
import type { LocalMethod, Method, WireProtocol } from './wire.ts';

/** A dialect that has a method of a given name. */
type NamedMethod =
  | { readonly dialect: Dialect; readonly method: Method; readonly local?: undefined }
  | { readonly dialect: Dialect; readonly method?: undefined; readonly local: LocalMethod };

interface ExtensionMethod {
  readonly dialect: WireProtocol;
  readonly method: Method;
  readonly local?: undefined;
}

/** A list with at least one. */
type NamedMethods = readonly [NamedMethod, ...NamedMethod[]];

/** The dialects of a gateway, and the look-ups over them. */
export interface Dialects {
  /** Dialects, in the order of the registry. */
  readonly list: readonly Dialect[];
  /** Dialect of callers whose requests do not show one: 0.3 (A2A 1.0.1 section 3.6.2), if it is in the list. */
  readonly default: Dialect;
  readonly byName: ReadonlyMap<string, Dialect>;
  /** Dialects by major.minor of `A2A-Version`. */
  readonly byVersion: ReadonlyMap<string, Dialect>;
  /**
   * The dialects that have a JSON-RPC method, in the order of the registry, without those whose version must be named.
   */
  readonly byMethod: ReadonlyMap<string, NamedMethods>;
  /** Protocols served with every dialect. */
  readonly extensions: readonly WireProtocol[];
  /** The dialects and the extensions. */
  readonly protocols: readonly WireProtocol[];
  /** JSON-RPC methods of extensions, which are identical in every dialect. */
  readonly extensionMethods: ReadonlyMap<string, ExtensionMethod>;
}

/** Returns major and minor of a version: `1.0.3` is `1.0`. Any other text stays unchanged. */
export function majorMinor(version: string): string {
  return /^\s*(\d+\.\d+)(?:\.\d+)?\s*$/.exec(version)?.[1] ?? version;
}

/**
 * Returns the look-ups over a list of dialects, the preferred ones first.
 *
 * @throws TypeError if the list is empty, or two share a name or a version
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

/** The facts of a JSON-RPC request by which its dialect is found. */
export interface DetectInput {
  /** The dialect of the path `/as/{dialect}`. */
  readonly pinned?: Dialect | undefined;
  /** Path of the agent, below which the pinned paths are. Default ''. */
  readonly base?: string;
  /** `A2A-Version`: the header, or the request parameter of that name. */
  readonly version?: string | undefined;
  readonly method: string;
  readonly params: unknown;
  readonly id: unknown;
  /** Returns the name of the dialect in which the caller last used a task. Called only if several dialects remain. */
  readonly recall?: ((taskId: string) => Promise<string | undefined>) | undefined;
}

/** The dialect to answer in, and either the method or the error to answer with. */
export type Detected =
  | ((NamedMethod | ExtensionMethod) & { readonly error?: undefined })
  | {
      readonly dialect: WireProtocol;
      readonly method?: undefined;
      readonly local?: undefined;
      readonly error: A2AError;
    };

/**
 * Finds the dialect and the method of a JSON-RPC request. Methods of extensions are identical in every dialect; all
 * others are found by the pinned path, then by `A2A-Version`, the method name, the shape of the request, the dialect
 * that the caller used before, hints such as the request id's prefix, and last by the default. Never throws; returns a
 * promise only if `recall` is needed.
 */
export function detect(dialects: Dialects, input: DetectInput): Detected | Promise<Detected> {
  const extended = dialects.extensionMethods.get(input.method);
  if (extended) return extended;
  if (input.pinned) {
    // The path excludes other known versions. An unknown one is refused here too, except by dialects without versions.
    const unknown = input.version && !ofVersion(dialects, input.version);
    if (!unknown || input.pinned.versions.length === 0) return within(input.pinned, input.method);
    return { dialect: input.pinned, error: noVersion(dialects, input.version, 'jsonrpc') };
  }
  if (input.version) {
    const dialect = ofVersion(dialects, input.version);
    if (!dialect?.jsonrpc)
      return { dialect: likelyDialect(dialects, input), error: noVersion(dialects, input.version, 'jsonrpc') };
    return within(dialect, input.method);
  }
  const named = dialects.byMethod.get(input.method);
  if (!named) return within(likelyAmongDialects(dialects, input), input.method);
  return named.length === 1 ? named[0] : choose(dialects, named, input);
}

/**
 * Returns the dialect in which to answer a request that cannot be dispatched (no JSON, no method, an unknown one): the
 * extension that has the method, the pinned dialect, the dialect of the version, the one with the highest claim, the first
 * with methods of the same namespace (`tasks/…`, or none), or the default.
 */
export function likelyDialect(dialects: Dialects, input: Partial<DetectInput>): WireProtocol {
  const extended = input.method === undefined ? undefined : dialects.extensionMethods.get(input.method);
  return extended?.dialect ?? likelyAmongDialects(dialects, input);
}

function likelyAmongDialects(dialects: Dialects, input: Partial<DetectInput>): Dialect {
  if (input.pinned) return input.pinned;
  const versioned = input.version ? ofVersion(dialects, input.version) : undefined;
  if (versioned) return versioned;
  const { method, params, id } = input;
  if (method === undefined) return dialects.default;
  const namespace = namespaceOf(method);
  const related = dialects.list.filter(({ jsonrpc }) =>
    [jsonrpc?.methods, jsonrpc?.local].some((names) =>
      names?.keys().some((name: string) => namespaceOf(name) === namespace),
    ),
  );
  const candidates = related.length > 0 ? related : dialects.list;
  const claims = candidates.map((dialect) => dialect.claim?.(method, params, id) ?? 0);
  const likely = candidates[claims.indexOf(2)] ?? candidates[claims.indexOf(1)];
  return likely ?? (related.includes(dialects.default) ? dialects.default : related[0]) ?? dialects.default;
}

/** A binding that has versions. */
export type DialectBinding = 'jsonrpc' | 'rest' | 'grpc';

/**
 * Returns the dialect of an `A2A-Version` on a binding. Undefined without a version: then the path or the service
 * decides.
 *
 * @throws A2AError of kind `versionNotSupported`
 */
export function versionOf(
  dialects: Dialects,
  version: string | undefined,
  binding: DialectBinding,
): Dialect | undefined {
  if (!version) return undefined;
  const dialect = ofVersion(dialects, version);
  if (!dialect?.[binding]) throw noVersion(dialects, version, binding);
  return dialect;
}

/** Returns the dialect of a version; most callers name major and minor alone. */
const ofVersion = ({ byVersion }: Dialects, version: string): Dialect | undefined =>
  byVersion.get(version) ?? byVersion.get(majorMinor(version));

function noVersion(dialects: Dialects, version: string, binding: DialectBinding): A2AError {
  const supported = [...dialects.byVersion].filter(([, dialect]) => dialect[binding]).map(([name]) => name);
  const message = `A2A version ${shortened(version, 32)} is not supported; supported: ${supported.join(', ')}`;
  return new A2AError('versionNotSupported', message, { metadata: { supportedVersions: supported.join(',') } });
}

function within(dialect: Dialect, name: string): Detected {
  const method = dialect.jsonrpc?.methods.get(name);
  if (method) return { dialect, method };
  const local = dialect.jsonrpc?.local?.get(name);
  if (local) return { dialect, local };
  return { dialect, error: new A2AError('methodNotFound', `Method not found: ${shortened(name, 100)}`) };
}

/** A caller's text for a message. */

const namespaceOf = (method: string): string => method.slice(0, method.indexOf('/') + 1);

/** Chooses among several dialects that have the method. */
function choose(dialects: Dialects, named: NamedMethods, input: DetectInput): Detected | Promise<Detected> {
  const claims = named.map(({ dialect }) => dialect.claim?.(input.method, input.params, input.id) ?? 0);
  const sure = named[claims.indexOf(2)];
  if (sure) return sure;
  const byHint = (): Detected =>
    named[claims.indexOf(1)] ?? named.find(({ dialect }) => dialect === dialects.default) ?? undecided(named, input);
  const taskId = taskOf(input.params);
  if (!input.recall || taskId === undefined) return byHint();
  const recalled = (name: string | undefined) => named.find(({ dialect }) => dialect.name === name);
  return input.recall(taskId).then(
    (name) => recalled(name) ?? byHint(),
    (thrown) => ({ dialect: byHint().dialect, error: A2AError.from(thrown) }),
  );
}

/** Returns the task that a request is about: `id` in most methods, `taskId` in those of push notifications. */
function taskOf(params: unknown): string | undefined {
  if (!isObject(params)) return undefined;
  if (typeof params.id === 'string') return params.id;
  return typeof params.taskId === 'string' ? params.taskId : undefined;
}

function undecided(named: NamedMethods, { method, base = '' }: DetectInput): Detected {
  const names = named.map(({ dialect }) => dialect.name);
  const paths = names.map((name) => `${base}/as/${name}`).join(' or ');
  const message = `${method} is a method of ${names.join(' and ')}, and nothing in the request tells them apart: use the path ${paths}`;
  return { dialect: named[0].dialect, error: new A2AError('invalidRequest', message) };
}
