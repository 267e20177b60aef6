import { timestamp } from '../../core/model/agent-events.ts';
import { defined, isObject } from '../../core/model/json.ts';
import { shownUrl } from '../../core/model/shown-url.ts';
import { trimEnd } from '../../core/model/text.ts';
import type { Dialects } from '../../dialects/kernel/detect.ts';
import type { RecordedAttempt, RecordedCall, WireExchange, WireFrame } from '../../gen/admin-v1/types.ts';
import type { Api } from '../../gen/api.ts';
import type { Operation } from '../../gen/operations.ts';
import { namesCredential, parameterHoldsCredential } from '../../net/credential-names.ts';
import { hide } from '../../net/secret.ts';
import { textTypes } from '../../net/wire-log.ts';
import { rpcsByPath } from '../../transports/rpc/rpc.ts';
import { EnvelopeReader, flags } from '../../wire/envelope.ts';
import { InboundBuffer } from '../../wire/inbound-buffer.ts';
import { decode } from '../../wire/protobuf.ts';
import { type AttemptRecord, type CallRecord, type RecordedExchange, traceOfRecord } from './call-record.ts';
import type { Frame, Header } from './record-frames.ts';

/** Returns the rpc at a path, for messages of protobuf. */
export type RpcAt = (path: string) => { readonly api: Api; readonly operation: Operation } | undefined;

/** The rpcs of all services, of A2A and of the gateway, by the end of a path: before it there may be a prefix and an agent. */
export function rpcAtPath({ protocols }: Pick<Dialects, 'protocols'>): RpcAt {
  const rpcs = rpcsByPath(protocols);
  return (path) => rpcs.get(`/${path.split('/').slice(-2).join('/')}`)?.[0];
}

const mask = '[secret]';

// Each of these takes time in proportion to a text, whatever that is: callers and agents choose it.
/** The beginning of an object, of the configuration of a webhook by its name; an end; and a URL, with its path. */
const webhook =
  /"((?:task_?)?push_?notification(?:_?config)?)"\s*:\s*\{|[{}]|"(url|webhook_?url)"\s*:\s*"https?:\/\/[^/"]+(\/[^"?]*)/gi;
/** URL of a webhook configuration that is the whole request or answer. */
const ownUrl = /"url"\s*:\s*"https?:\/\/[^/"]+(\/[^"?]*)/g;
/** Matches the user of a URL. */
const user = /(https?:\/\/)([^\s"'/@]{1,512})@/gi;

/** Shortest secret that is looked for in other text. */
const minLength = 6;
/** Shortest beginning of a secret that is hidden at the end of a cut text. */
const minBeginning = 4;

/** Credentials of a text that are looked for elsewhere, and characters of each. */
const maxLearned = 50;
const maxLength = 4_096;

/** Credentials of one record: from its headers, and from members of its texts that are named like credentials. */
class Secrets {
  readonly #known: Set<string>;
  readonly #max: number;
  /** Whether a credential cannot be looked for, since it is too short or too long, or there are too many. */
  isIncomplete = false;
  #sorted: readonly string[] | undefined;

  constructor(headers: ReadonlySet<string>) {
    this.#known = new Set(headers);
    this.#max = headers.size + maxLearned;
  }

  /** Adds the credentials in a text. */
  learn(text: string): void {
    for (const [from, to] of credentialsIn(text)) this.#add(text.slice(from, to));
    for (const [from, to] of queriesIn(text)) this.#add(text.slice(from, to));
    for (const [, , value = ''] of text.matchAll(user)) this.#add(value);
    for (const value of webhooksIn(text)) this.#add(value);
  }

  /** Adds the URLs in a text about webhooks. */
  learnUrls(text: string): void {
    for (const [, value = ''] of text.matchAll(ownUrl)) this.#add(value);
  }

  /** Returns a text without credentials. @param isCut whether its end is missing, so that a credential may be cut */
  shown(text: string, isCut = false): string {
    const named = masked(text, credentialsIn);
    const hidden = hide(masked(named, queriesIn).replace(user, `$1${mask}@`), this.#forms);
    // The last character may be cut, too.
    return !isCut ? hidden : withoutBeginning(trimEnd(hidden, '\uFFFD'), this.#forms);
  }

  /**
   * Returns bytes with credentials overwritten, so that the rest can still be read. Undefined: not all credentials can be found.
   */
  overwritten(original: Uint8Array, isCut = false): Buffer | undefined {
    if (this.isIncomplete) return undefined;
    const bytes = Buffer.from(original);
    for (const secret of this.#forms) {
      const wanted = Buffer.from(secret);
      for (let at = bytes.indexOf(wanted); at >= 0; at = bytes.indexOf(wanted, at)) {
        bytes.fill('*', at, at + wanted.length);
      }
      if (isCut) bytes.fill('*', bytes.length - beginningAt(bytes, wanted));
    }
    return bytes;
  }

  /** Returns credentials in all forms in which texts may contain them. The longest comes first. */
  get #forms(): readonly string[] {
    this.#sorted ??= [
      ...new Set(
        [...this.#known].flatMap((secret) => [
          secret,
          JSON.stringify(secret).slice(1, -1),
          encodeURIComponent(secret.toWellFormed()),
        ]),
      ),
    ]
      .filter(({ length }) => length >= minLength)
      .sort((one, other) => other.length - one.length);
    return this.#sorted;
  }

  #add(value: string): void {
    if (value === '' || value === mask || this.#known.has(value)) return;
    if (value.length < minLength || value.length > maxLength || this.#known.size >= this.#max) {
      this.isIncomplete = true;
      return;
    }
    this.#known.add(value);
    try {
      this.#known.add(String(JSON.parse(`"${value}"`)));
    } catch {
      // Of a text that was cut, the part that arrived is known.
    }
  }
}

/** `sessionId` of A2A 0.1 and AgentVault names a conversation. */
const isCredential = (name: string): boolean => name !== 'sessionId' && namesCredential(name);

/** Names of credentials that may be numbers; tokens are also counted. */
const numericNames = /pin|otp|mfa|cvv|cvc|pass|pwd|pw|code/i;

/** Range of a secret in a text. */
type Place = readonly [from: number, to: number, quote?: string];
type Places = Generator<Place>;

function masked(text: string, placesIn: (text: string) => Places): string {
  let shown = '';
  let end = 0;
  for (const [from, to, quote = ''] of placesIn(text)) {
    shown += text.slice(end, from) + quote + mask + quote;
    end = to;
  }
  return shown + text.slice(end);
}

/** Yields the ranges of values of members with names of credentials; the last may have been cut. */
function* credentialsIn(text: string): Places {
  for (let quote = text.indexOf('"'); quote >= 0; ) {
    let next = quote + 1;
    const member = memberAt(text, quote);
    if (member) {
      const { name, slashes, end } = member;
      const begin = quote - slashes.length;
      // Otherwise what ends here is no name; what begins at its last quote may be one.
      if (text.startsWith(slashes, begin) && text[begin - 1] !== '\\') {
        next = isCredential(name) ? yield* valuesAt(text, end, `${slashes}"`, numericNames.test(name)) : end;
      }
    }
    quote = text.indexOf('"', next);
  }
}

/** Most characters of a member's name. */
const maxName = 200;

/** The beginning of a member at a quote, also within JSON that is a text itself, where quotes have backslashes. */
function memberAt(
  text: string,
  quote: number,
): { readonly name: string; readonly slashes: string; readonly end: number } | undefined {
  const endOfName = endOf(/[^"\\]+/y, text, quote + 1);
  const endOfSlashes = endOf(/\\+/y, text, endOfName);
  const colon = endOf(/\s+/y, text, endOfSlashes + 1);
  const length = endOfName - quote - 1;
  if (length < 1 || length > maxName || text[endOfSlashes] !== '"' || text[colon] !== ':') return undefined;
  const name = text.slice(quote + 1, endOfName);
  const slashes = text.slice(endOfName, endOfSlashes);
  return { name, slashes, end: endOf(/\s+/y, text, colon + 1) };
}

/** Returns the end of a run of characters that begins at a place; the place itself if there is none. */
function endOf(run: RegExp, text: string, at: number): number {
  run.lastIndex = at;
  return run.test(text) ? run.lastIndex : at;
}

/** The texts of a value, which is one or a list of some, and its numbers where it may have any. Returns the end of the last. */
function* valuesAt(text: string, from: number, quote: string, hasNumbers: boolean): Generator<Place, number> {
  const isList = text[from] === '[';
  let at = isList ? from + 1 : from;
  for (;;) {
    const space = /\s*/y;
    space.lastIndex = at;
    at += space.exec(text)?.[0].length ?? 0;
    if (text.startsWith(quote, at)) {
      const start = at + quote.length;
      const end = endOfText(text, start, quote.length - 1);
      yield [start, end];
      at = Math.min(text.length, end + quote.length);
    } else {
      const number = /-?\d[\d.eE+-]*/y;
      number.lastIndex = at;
      const length = number.exec(text)?.[0].length ?? 0;
      if (length === 0 || !hasNumbers) return at;
      yield [at, at + length, quote];
      at += length;
    }
    const comma = /\s*,/y;
    comma.lastIndex = at;
    if (!isList || !comma.test(text)) return at;
    at = comma.lastIndex;
  }
}

/** Yields the ranges of values in query strings and forms with names of credentials; tokens of pages are excluded. */
function* queriesIn(text: string): Places {
  const pattern = /(?:^|[?&;"\s])((?:[\w.[\]-]|%[\da-f]{2}){1,200})=/gi;
  const rest = /[^&"'\s\\<>]*/y;
  for (let found = pattern.exec(text); found; found = pattern.exec(text)) {
    const [, name = ''] = found;
    if (!parameterHoldsCredential(decodedName(name))) {
      // The end of this one may begin another.
      pattern.lastIndex -= 1;
      continue;
    }
    const from = pattern.lastIndex;
    rest.lastIndex = from;
    pattern.lastIndex = from + (rest.exec(text)?.[0].length ?? 0);
    if (pattern.lastIndex > from) yield [from, pattern.lastIndex];
  }
}

function decodedName(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}

/** The paths of webhooks, which may be secrets, too: of the URLs of configurations, and of URLs named for webhooks. */
function* webhooksIn(text: string): Generator<string> {
  /** Of each object that the place is in, whether it is a configuration. */
  const objects: boolean[] = [];
  for (const [found, config, name = '', path = ''] of text.matchAll(webhook)) {
    if (found === '}') objects.pop();
    else if (found.endsWith('{') && name === '') objects.push(config !== undefined);
    else if (name.length > 'url'.length || objects.at(-1)) yield path;
  }
}

/**
 * Returns the end of a text within JSON. @param slashes number of backslashes before its quotes: 0, 1, 3, 7… by nesting
 */
function endOfText(text: string, from: number, slashes: number): number {
  for (let quote = text.indexOf('"', from); quote >= 0; quote = text.indexOf('"', quote + 1)) {
    let begin = quote;
    while (begin > from && text[begin - 1] === '\\') begin -= 1;
    // Each backslash of the text takes one more than its quotes have, twice.
    if ((quote - begin) % (2 * (slashes + 1)) === slashes) return quote - slashes;
  }
  return text.length;
}

/** Returns the length of the end of `bytes` that is the beginning of `wanted`. */
function beginningAt(bytes: Buffer, wanted: Buffer): number {
  for (let length = Math.min(wanted.length - 1, maxLength); length >= minBeginning; length -= 1) {
    if (bytes.subarray(-length).equals(wanted.subarray(0, length))) return length;
  }
  return 0;
}

/** Returns a text without the beginning of a secret at its end. */
function withoutBeginning(text: string, secrets: readonly string[]): string {
  for (const secret of secrets) {
    for (let length = Math.min(secret.length - 1, maxLength); length >= minBeginning; length -= 1) {
      if (text.endsWith(secret.slice(0, length))) return text.slice(0, -length) + mask;
    }
  }
  return text;
}

/** Body of a frame in a readable form. */
interface ReadBody {
  readonly text: string;
  /** Bytes of a body that is not text. Absent if credentials in it cannot be found, too. */
  readonly bytes?: Buffer;
}

/** Reads bodies of all bindings. `side` says which of the rpc's messages they have. */
function read(frame: Frame, path: string, side: 'request' | 'response', rpcAt: RpcAt): ReadBody {
  const { body } = frame;
  if (body.length === 0) return { text: '' };
  const type = frame.header('content-type')?.toLowerCase() ?? '';
  const isFramed = /grpc|connect\+/.test(type);
  const coding = isFramed ? 'identity' : (frame.header('content-encoding') ?? 'identity');
  if (coding !== 'identity') return { text: `[compressed with ${coding}]` };
  const isPlain = textTypes.test(type) && !isFramed;
  if (isPlain || type === '') return { text: body.toString() };
  // Each write is encoded by itself.
  const parts = type.includes('-text') ? body.toString('latin1').split(/(?<==)(?!=)/) : [];
  const bytes = parts.length > 0 ? Buffer.concat(parts.map((part) => Buffer.from(part, 'base64'))) : body;
  const rpc = rpcAt(path);
  const json = (message: Uint8Array): string => {
    if (type.includes('json')) return Buffer.from(message).toString();
    if (!rpc) return `[${message.length} bytes]`;
    try {
      return JSON.stringify(decode(rpc.api, rpc.operation[side], message));
    } catch {
      return `[${message.length} bytes that cannot be decoded]`;
    }
  };
  if (!isFramed) return { text: json(bytes), bytes };
  let isReadable = true;
  const lines: string[] = [];
  const reader = new EnvelopeReader<Buffer>(() => new InboundBuffer<Buffer>((chunks) => Buffer.concat(chunks)), {
    limit: bytes.length,
  });
  try {
    for (const { flags: bits, data } of reader.read(bytes)) {
      if (bits & flags.compressed) {
        isReadable = false;
        lines.push('[compressed]');
      } else if (bits & (flags.webTrailers | flags.connectEnd)) lines.push(data.toString());
      else lines.push(json(data));
    }
  } catch {
    isReadable = false;
    lines.push('[framed wrongly]');
  }
  const text = lines.join('\n');
  return isReadable ? { text, bytes } : { text };
}

const pathIn = (head: string): string => /^\S+ ([^\s?]*)/.exec(head)?.[1] ?? '';

/** Returns a record for operators, without credentials. */
export function shownRecord(record: CallRecord, id: string, rpcAt: RpcAt): RecordedCall {
  const { facts, client, attempts, notes } = record;
  const bodies = new Map<Frame, ReadBody>();
  const readBoth = ({ request, answer }: RecordedExchange): void => {
    const path = pathIn(request.head);
    bodies.set(request, read(request, path, 'request', rpcAt));
    bodies.set(answer, read(answer, path, 'response', rpcAt));
  };
  readBoth(client);
  for (const { exchanges } of attempts) exchanges.forEach(readBoth);
  const secrets = new Secrets(record.secrets);
  const own = [record.request, record.reply, ...record.events, record.reason ?? ''];
  for (const { text } of bodies.values()) secrets.learn(text);
  for (const { request } of [client, ...attempts.flatMap(({ exchanges }) => exchanges)]) secrets.learn(request.head);
  for (const text of own) secrets.learn(text);
  if (facts.operation?.includes('PushNotification')) for (const text of own) secrets.learnUrls(text);

  // gRPC encodes the details of an error.
  const binary = (value: string): string =>
    secrets.overwritten(Buffer.from(value, 'base64'))?.toString('base64') ?? mask;
  const headers = (list: readonly Header[]) =>
    list.map(([name, value]) => ({ name, value: /-bin$/i.test(name) ? binary(value) : secrets.shown(value) }));
  const frame = (one: Frame): WireFrame => {
    const { text, bytes } = bodies.get(one) ?? { text: '' };
    const base64 = (bytes && secrets.overwritten(bytes, one.cut > 0)?.toString('base64')) ?? '';
    return {
      head: secrets.shown(one.head),
      headers: headers(one.headers),
      text: secrets.shown(text, one.cut > 0),
      base64,
      trailers: headers(one.trailers),
      size: `${one.size}`,
      cut: `${one.cut}`,
    };
  };
  // An object that was cut lacks its end.
  const canonical = (text: string): string => secrets.shown(text, text !== '' && !text.endsWith('}'));
  const exchange = ({ request, answer }: RecordedExchange): WireExchange => ({
    request: frame(request),
    answer: frame(answer),
  });
  const attempt = (one: AttemptRecord): RecordedAttempt => ({
    time: timestamp(one.at),
    operation: one.operation,
    agent: one.to.agent,
    dialect: one.to.dialect,
    binding: one.to.binding,
    url: secrets.shown(shownUrl(one.to.url)),
    exchanges: one.exchanges.map(exchange),
    losses: [...one.notes.losses],
    ...outcome(one),
  });
  const outcome = ({ ms, error, reason }: Pick<CallRecord, 'ms' | 'error' | 'reason'>) =>
    defined({ durationMs: ms && Math.round(ms * 1_000) / 1_000, error, reason: reason && secrets.shown(reason) });
  const { agent, requestId, dialect, binding, principal, operation, address, taskId } = facts;
  const losses = [...(notes?.losses ?? [])];
  return {
    id,
    recordings: record.recordings.map(({ plan }) => plan.id),
    lastFailed: record.bounds.isLastFailed,
    time: timestamp(record.at),
    ...defined({ agent, requestId, dialect, binding, principal, operation, address, taskId }),
    ...defined({ taskKey: notes?.taskKey, traceId: traceOfRecord(record) }),
    ...outcome(record),
    ...(client.request.head !== '' && { client: exchange(client) }),
    request: canonical(record.request),
    reply: canonical(record.reply),
    events: record.events.map(canonical),
    eventCount: record.eventCount,
    requestLosses: [...record.requestLosses],
    replyLosses: losses.filter((path) => !record.requestLosses.includes(path)),
    attempts: attempts.map(attempt),
    moreAttempts: record.moreAttempts,
  };
}

/** Returns the approximate bytes of a record as JSON. */
export const sizeOf = (record: unknown): number =>
  typeof record === 'string'
    ? record.length + 16
    : isObject(record)
      ? Object.values(record).reduce<number>((sum, value) => sum + sizeOf(value), 16)
      : Array.isArray(record)
        ? record.reduce<number>((sum, value) => sum + sizeOf(value), 16)
        : 16;
