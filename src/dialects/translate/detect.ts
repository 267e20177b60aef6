import { A2AError } from '../../core/model/errors.ts';
import { isObject } from '../../core/model/json.ts';
import type { CodecContext } from '../kernel/codec.ts';
import { type Dialects, detect } from '../kernel/detect.ts';
import type { Dialect } from '../kernel/dialect.ts';
import type { Method, WireProtocol } from '../kernel/wire.ts';
import { type FrameBinding, type FrameType, frameBindings, methodsOf, type Reading, standingTypes } from './frame.ts';
import { readFrame, routeOf } from './read.ts';
import { type HttpText, type Parsed, parseFrame } from './text.ts';
import { writeFrame } from './write.ts';

/** Facts that the caller knows about a frame. The rest is detected. */
export interface Hints {
  /** Name of the dialect. */
  readonly from?: string;
  readonly binding?: FrameBinding;
  readonly type?: FrameType;
  readonly method?: string;
}

/**
 * Returns the context of conversions: losses of all kinds are noted, and documents may be translations with fields of
 * the gateway's own.
 */
export const newContext = () =>
  ({ losses: new Set<string>(), unreported: new Set<string>(), keepsOwn: true }) satisfies CodecContext;

/**
 * Finds the reading of a frame. A JSON-RPC request is detected as in the gateway. For anything else, the reading that
 * keeps most of it is chosen: a frame comes back whole from its own dialect, and without unknown members from others.
 *
 * @throws A2AError of the reading that came closest, if there is none
 */
export function detectFrame(dialects: Dialects, parsed: Parsed, hints: Hints): Reading {
  const readings = readingsOf(dialects, parsed, hints);
  const [only] = readings;
  if (only && (readings.length === 1 || parsed.http)) return only;
  let best: { readonly reading: Reading; readonly kept: number } | undefined;
  let closest: A2AError | undefined;
  const isExtension = ({ dialect }: Reading): boolean => dialects.extensions.includes(dialect);
  for (const reading of [...readings.filter((one) => !isExtension(one)), ...readings.filter(isExtension)]) {
    // An extension's streams may consist of anything.
    if (best && best.kept > 0 && isExtension(reading) && !isExtension(best.reading)) break;
    const kept = keptBy(parsed, reading);
    if (kept instanceof A2AError) {
      if (!closest || kept.violations.length < closest.violations.length) closest = kept;
    } else if (!best || kept > best.kept) best = { reading, kept };
  }
  if (best && (best.kept > 0 || hints.type !== undefined)) return best.reading;
  throw unknownFrame(closest);
}

function unknownFrame(closest: A2AError | undefined): A2AError {
  const detail = closest && closest.violations.length > 0 ? ` (closest: ${closest.message})` : '';
  const message = `the document is not a frame of a known dialect and type${detail}`;
  return new A2AError('invalidRequest', message, { violations: closest?.violations ?? [] });
}

/** Returns all readings that a text may have, the likely ones first. */
function readingsOf(dialects: Dialects, parsed: Parsed, hints: Hints): Reading[] {
  const { from, binding, type, method } = hints;
  const candidates = dialects.list.filter(({ name }) => from === undefined || name === from);
  const bindings = frameBindings.filter((name) => binding === undefined || name === binding);
  const fits = (reading: Reading): boolean =>
    (type === undefined || reading.type === type) && (method === undefined || reading.method?.name === method);
  const protocols = [...candidates, ...dialects.extensions];
  if (parsed.http) return requestsOver(protocols, parsed.http).filter(fits);
  return bindings.flatMap((name) =>
    protocols
      .filter((dialect) => dialect[name])
      .flatMap((dialect) => readingsIn(dialects, parsed, dialect, name, hints).filter(fits)),
  );
}

/** Returns readings of a request over HTTP+JSON, first the one with the longest literal path. */
function requestsOver(protocols: readonly WireProtocol[], http: HttpText): Reading[] {
  const found = protocols.flatMap((dialect) => {
    const match = dialect.rest && isOfVersion(dialect, http.version) ? routeOf(dialect.rest, http) : undefined;
    if (!match) return [];
    const reading: Reading = { dialect, binding: 'rest', type: 'request', method: match.value.method };
    return [{ reading, variables: Object.keys(match.variables).length }];
  });
  return found.sort((one, other) => one.variables - other.variables).map(({ reading }) => reading);
}

function readingsIn(
  dialects: Dialects,
  parsed: Parsed,
  dialect: WireProtocol,
  binding: FrameBinding,
  hints: Hints,
): Reading[] {
  // Bindings share methods: each is read over one of them, unless the caller names another.
  const before = hints.binding === undefined ? frameBindings.slice(0, frameBindings.indexOf(binding)) : [];
  const known = new Set(before.flatMap((name) => methodsOf(dialect, name)));
  const methods = methodsOf(dialect, binding).filter((method) => !known.has(method));
  const of = (type: FrameType, some: readonly Method[]): Reading[] =>
    some.map((method) => ({ dialect, binding, type, method }));
  // Streams differ by their envelopes.
  const streaming = methodsOf(dialect, binding).filter(({ stream }) => stream);
  if (parsed.events) return of('stream', streaming);
  const value = parsed.json?.value;
  const answers = methods.filter(({ result }) => result);
  if (isObject(value) && typeof value.method === 'string' && ('params' in value || 'jsonrpc' in value)) {
    if (binding !== 'jsonrpc') return [];
    const detected = hints.from === undefined ? detectRequest(dialects, value) : undefined;
    const method = dialect.jsonrpc?.methods.get(value.method);
    const isIt = detected ? detected === dialect : method !== undefined || dialect.name === hints.from;
    return isIt ? [{ dialect, binding, type: 'request', ...(method && { method }) }] : [];
  }
  if (isObject(value) && 'jsonrpc' in value) {
    if (binding !== 'jsonrpc') return [];
    return 'error' in value ? [{ dialect, binding, type: 'response' }] : of('response', answers);
  }
  // An extension's methods take and return almost anything.
  if (dialects.extensions.includes(dialect)) {
    return hints.method === undefined ? [] : [...of('params', methods), ...of('result', answers)];
  }
  const error: Reading[] = binding === 'grpc' ? [] : [{ dialect, binding, type: 'error' }];
  if (isError(value)) return error;
  const whole = binding === 'jsonrpc' && 'types' in dialect ? [...standingTypes] : [];
  const standing = whole.filter((type) => !(type === 'event' && isSent(value)));
  return [
    ...standing.map((type): Reading => ({ dialect, binding, type })),
    ...error,
    ...of('params', methods),
    ...of('result', answers),
    ...(Array.isArray(value) && binding === 'grpc' ? of('stream', streaming) : []),
  ];
}

/** Whether a value is the error of a JSON-RPC response, or of a response over HTTP+JSON with its status. */
const isError = (value: unknown): boolean =>
  isObject(value) &&
  ((typeof value.code === 'number' && typeof value.message === 'string') ||
    (typeof value.status === 'number' && isObject(value.body)));

const isOfVersion = ({ versions }: WireProtocol, version: string | undefined): boolean =>
  version === undefined || versions.some((own) => version === own || version.startsWith(`${own}.`));

/**
 * Returns the dialect in which the gateway would serve a JSON-RPC request without a version; undefined if it could be
 * several.
 */
function detectRequest(
  dialects: Dialects,
  { method, params, id }: Readonly<Record<string, unknown>>,
): WireProtocol | undefined {
  const detected = detect(dialects, { method: method as string, params, id });
  if (detected instanceof Promise || detected.error?.kind === 'invalidRequest') return undefined;
  if (!detected.error) return detected.dialect;
  // A method of a preview is served if its version is named; an unknown method is an error of the likely dialect.
  return dialects.list.find(({ jsonrpc }) => jsonrpc?.methods.has(method as string)) ?? detected.dialect;
}

/** Whether an object with a message sends it: agents do not send messages of users. */
const isSent = (value: unknown): boolean =>
  isObject(value) && isObject(value.message) && value.message.role === 'ROLE_USER';

/**
 * Returns the part of a frame that comes back from a reading, from 0 to 1; or the reason why there is no such reading.
 */
function keptBy(parsed: Parsed, reading: Reading): number | A2AError {
  try {
    const cx = newContext();
    const meaning = readFrame(parsed, reading, cx);
    const written = parseFrame(writeFrame(meaning, reading.dialect, reading.binding, cx).text);
    return shareKept(contentOf(parsed), contentOf(written));
  } catch (thrown) {
    return A2AError.from(thrown);
  }
}

const contentOf = ({ json, http, events }: Parsed): unknown => json?.value ?? http ?? events;

function shareKept(before: unknown, after: unknown): number {
  const count = { all: 0, kept: 0 };
  countKept(before, after, count);
  return count.all === 0 ? 0 : count.kept / count.all;
}

/** Counts values that are not null, and names of members. */
function countKept(before: unknown, after: unknown, count: { all: number; kept: number }): void {
  if (before === null || before === undefined) return;
  if (typeof before !== 'object') {
    count.all++;
    if (before === after) count.kept++;
    return;
  }
  const other = (typeof after === 'object' && after !== null ? after : {}) as Record<string, unknown>;
  for (const [name, value] of Object.entries(before)) {
    if (value === null) continue;
    count.all++;
    if (Object.hasOwn(other, name)) count.kept++;
    countKept(value, other[name], count);
  }
}

export const dialectNamed = (dialects: Dialects, name: string): Dialect => {
  const dialect = dialects.byName.get(name);
  if (dialect) return dialect;
  const known = dialects.list.map((one) => one.name).join(', ');
  throw new A2AError('invalidRequest', `no dialect is called ${name}; there are ${known}`);
};
