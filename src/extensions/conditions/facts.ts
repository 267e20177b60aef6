import { type CelInput, celList, celMap } from '@bufbuild/cel';
import { timestampFromMs } from '@bufbuild/protobuf/wkt';
import { impliedScopes, principalIds } from '../../auth/principals.ts';
import type { Message, Part } from '../../core/model/a2a.ts';
import { type Call, type CallContext, ownerOf } from '../../core/model/call.ts';
import type { TaskOwner } from '../../core/model/ids.ts';
import { isObject, type JsonObject, sameJson } from '../../core/model/json.ts';
import { type Ancestor, parentOf, pathTo } from '../../core/model/lineage.ts';
import type { Principal } from '../../core/model/principal.ts';

/** Caller in conditions. */
export interface CallerFacts {
  readonly id: string;
  readonly anonymous: boolean;
  readonly scopes: readonly string[];
  readonly attributes: JsonObject;
}

/** Task that a call is about. Texts are empty if the call is about no task, or about one that the caller does not own. */
export interface TaskFacts {
  readonly id: string;
  readonly contextId: string;
  readonly state: string;
}

export const noTask: TaskFacts = { id: '', contextId: '', state: '' };

/** Facts about a call that conditions read. */
export abstract class CallFacts {
  abstract readonly caller: CallerFacts;
  abstract readonly tenant: string;
  abstract readonly agent: string;
  abstract readonly skill: string;
  abstract readonly operation: string;
  abstract readonly dialect: string;
  abstract readonly binding: string;
  abstract readonly task: TaskFacts;
  /** Bytes of the request in the JSON of A2A 1.0. */
  abstract readonly size: number;
  /** Media types of the message's parts, in lower case and without parameters. */
  abstract readonly mediaTypes: readonly string[];
  abstract readonly messageMetadata: JsonObject;
  abstract readonly requestMetadata: JsonObject;
  /** Metadata of the message and of the request. A key that has different values in both has a `MetadataConflict`. */
  abstract readonly metadata: JsonObject;
  abstract readonly extensions: readonly string[];
  /** Time of the call: milliseconds since the epoch. */
  abstract readonly now: number;
  /** `AGENT` of this gateway, `GATEWAY/AGENT` of another one. */
  abstract readonly path: readonly string[];
  #data: CelData | undefined;

  /** Returns the facts as values of CEL. */
  get data(): CelData {
    this.#data ??= new CelData(this);
    return this.#data;
  }
}

/** Most members of a list or mapping of a call. */
export const maxMembers = 500;
/** Most characters of a text of a call, and of all texts in one list or mapping. The time of a search grows with the text. */
const maxText = 65_536;

/** Value of a metadata key that has different values in the message and in the request. */
export class MetadataConflict extends Error {
  override readonly name = 'MetadataConflict';

  constructor(key: string) {
    super(`the metadata of the message and of the request differ in "${key}"`);
  }
}

/** Joins the metadata of a message and of its request. An agent may read either, so a condition sees both. */
export function mergedMetadata(ofMessage: JsonObject, ofRequest: JsonObject): JsonObject {
  const merged = { ...ofRequest, ...ofMessage };
  for (const key of Object.keys(ofRequest)) {
    const isOfBoth = Object.hasOwn(ofMessage, key);
    if (isOfBoth && !sameJson(ofMessage[key], ofRequest[key])) merged[key] = new MetadataConflict(key);
  }
  return merged;
}

/** Values of CEL. Each variable is converted when an expression first reads it. */
class CelData {
  readonly #facts: CallFacts;
  #caller: CelInput | undefined;
  #metadata: CelInput | undefined;
  #messageMetadata: CelInput | undefined;
  #requestMetadata: CelInput | undefined;

  constructor(facts: CallFacts) {
    this.#facts = facts;
  }

  get caller(): CelInput {
    const { id, anonymous, scopes, attributes } = this.#facts.caller;
    this.#caller ??= celMap(
      new Map<string, CelInput>([
        ['id', textOf(id)],
        ['anonymous', anonymous],
        ['scopes', listOf(scopes)],
        ['attributes', mapOf(attributes)],
      ]),
    );
    return this.#caller;
  }
  get tenant(): CelInput {
    return textOf(this.#facts.tenant);
  }
  get agent(): CelInput {
    return textOf(this.#facts.agent);
  }
  get skill(): CelInput {
    return textOf(this.#facts.skill);
  }
  get operation(): CelInput {
    return textOf(this.#facts.operation);
  }
  get dialect(): CelInput {
    return textOf(this.#facts.dialect);
  }
  get binding(): CelInput {
    return textOf(this.#facts.binding);
  }
  get task(): CelInput {
    const { id, contextId, state } = this.#facts.task;
    return celMap(new Map(Object.entries({ id, contextId, state }).map(([name, text]) => [name, textOf(text)])));
  }
  get size(): CelInput {
    return BigInt(this.#facts.size);
  }
  get mediaTypes(): CelInput {
    return listOf(this.#facts.mediaTypes);
  }
  get metadata(): CelInput {
    this.#metadata ??= mapOf(this.#facts.metadata);
    return this.#metadata;
  }
  get messageMetadata(): CelInput {
    this.#messageMetadata ??= mapOf(this.#facts.messageMetadata);
    return this.#messageMetadata;
  }
  get requestMetadata(): CelInput {
    this.#requestMetadata ??= mapOf(this.#facts.requestMetadata);
    return this.#requestMetadata;
  }
  get extensions(): CelInput {
    return listOf(this.#facts.extensions);
  }
  get now(): CelInput {
    return timestampFromMs(this.#facts.now);
  }
  get path(): CelInput {
    return listOf(this.#facts.path);
  }
}

const mapOf = (value: JsonObject): CelInput => converted(value, { members: maxMembers, text: maxText });

/** @throws Error if the text is too long for a condition */
function textOf(value: string): CelInput {
  if (value.length > maxText) throw new Error(`a text of the call has more than ${maxText} characters`);
  return value;
}

/** @throws Error if the list is too long for a condition */
function listOf(values: readonly string[]): CelInput {
  if (values.length > maxMembers) throw new Error(`a list of the call has more than ${maxMembers} members`);
  let left = maxText;
  for (const { length } of values) left -= length;
  if (left < 0) throw new Error(`a list of the call has more than ${maxText} characters`);
  return celList(values);
}

/** Converts a value of JSON for CEL. Throws if it is too large for a condition. */
function converted(value: unknown, left: { members: number; text: number }): CelInput {
  if (typeof value === 'string') left.text -= value.length;
  if (left.text < 0) throw new Error(`a mapping of the call has more than ${maxText} characters`);
  // A lookup of a conflict fails: the library takes no such value.
  if (typeof value !== 'object' || value === null || value instanceof MetadataConflict) return value as CelInput;
  const entries = Object.entries(value);
  left.members -= entries.length;
  if (left.members < 0) throw new Error(`a mapping of the call has more than ${maxMembers} members`);
  const members = entries.map(([key, member]): [string, CelInput] => {
    left.text -= key.length;
    return [key, converted(member, left)];
  });
  return Array.isArray(value) ? celList(members.map(([, member]) => member)) : celMap(new Map(members));
}

const callerOf = ({ id, anonymous, scopes, attributes = {} }: Principal): CallerFacts => ({
  id,
  anonymous,
  attributes,
  scopes: scopes ? [...scopes] : impliedScopes,
});

interface MessageRequest {
  readonly message?: Message;
  readonly metadata?: JsonObject;
}

/** Sources of facts about calls. */
export interface FactSources {
  /**
   * Returns a caller with its present rights, since some callers are known by their ids alone. Undefined: its rights are not
   * known.
   */
  readonly revalidate: (principal: Principal) => Principal | undefined;
  /** Returns the tasks that led to a call of another gateway, from its verified path. Empty: the call has no path. */
  readonly pathOf: (context: CallContext) => readonly Ancestor[];
}

/** Facts about a received call. Costly facts are determined when a condition first reads them. */
export class FactsOfCall extends CallFacts {
  readonly #call: Call;
  readonly #sources: FactSources;
  readonly agent: string;
  readonly dialect: string;
  readonly extensions: readonly string[];
  readonly operation: string;
  readonly task: TaskFacts;
  #caller: CallerFacts | undefined;
  #mediaTypes: readonly string[] | undefined;
  #metadata: JsonObject | undefined;
  #size: number | undefined;
  #now: number | undefined;
  #path: readonly string[] | undefined;

  /** @param operation operation as which the call is judged. Default: its own */
  constructor(call: Call, sources: FactSources, task: TaskFacts = noTask, operation: string = call.operation) {
    super();
    this.#call = call;
    this.#sources = sources;
    const { agent, dialect, extensions } = call.context;
    this.agent = agent;
    this.dialect = dialect;
    this.extensions = extensions;
    this.operation = operation;
    this.task = task;
  }

  get caller(): CallerFacts {
    const { principal } = this.#call.context;
    this.#caller ??= callerOf(this.#sources.revalidate(principal) ?? principal);
    return this.#caller;
  }
  get tenant(): string {
    return ownerOf(this.#call).tenant;
  }
  /** Skill that the call was found to be about, before it is judged. */
  get skill(): string {
    return this.#call.context.notes.skill ?? '';
  }
  get binding(): string {
    return this.#call.context.binding ?? 'local';
  }
  get size(): number {
    this.#size ??= Buffer.byteLength(JSON.stringify(this.#call.request));
    return this.#size;
  }
  get mediaTypes(): readonly string[] {
    this.#mediaTypes ??= mediaTypesOf((this.#call.request as MessageRequest).message);
    return this.#mediaTypes;
  }
  get messageMetadata(): JsonObject {
    const { message } = this.#call.request as MessageRequest;
    return isObject(message?.metadata) ? message.metadata : {};
  }
  get requestMetadata(): JsonObject {
    const { metadata } = this.#call.request as MessageRequest;
    return isObject(metadata) ? metadata : {};
  }
  get metadata(): JsonObject {
    this.#metadata ??= mergedMetadata(this.messageMetadata, this.requestMetadata);
    return this.#metadata;
  }
  get now(): number {
    this.#now ??= Date.now();
    return this.#now;
  }
  get path(): readonly string[] {
    this.#path ??= this.#steps().map(({ gateway, agent }) => (gateway ? `${gateway}/${agent}` : agent));
    return this.#path;
  }

  /** Returns the tasks that led to the call. This gateway knows those of a local call itself. */
  #steps(): readonly Ancestor[] {
    const { context } = this.#call;
    if (this.binding === 'local') return pathTo(parentOf(context.semantics.taskMetadata));
    return this.#sources.pathOf(context);
  }
}

/** Returns the media types of a message's parts, each once. */
function mediaTypesOf(message: Message | undefined): string[] {
  const written = new Set(message?.parts.map(mediaTypeOf));
  return [...new Set([...written].map(plainMediaType))];
}

/** Returns a media type for comparisons: in lower case, without parameters (RFC 9110 section 8.3.1). */
const plainMediaType = (written: string): string => written.split(';', 1).join('').trim().toLowerCase();

function mediaTypeOf({ mediaType = '', text, data }: Part): string {
  if (plainMediaType(mediaType) !== '') return mediaType;
  if (text !== undefined) return 'text/plain';
  return data === undefined ? 'application/octet-stream' : 'application/json';
}

/** Facts that a file gives, such as those of a case. */
export type GivenFacts = Partial<Omit<CallFacts, 'data' | 'caller' | 'task'>> & {
  readonly caller?: Partial<CallerFacts>;
  readonly task?: Partial<TaskFacts>;
};

class PlainFacts extends CallFacts {
  readonly caller = { id: 'anonymous', anonymous: true, scopes: impliedScopes, attributes: {} };
  readonly tenant = '';
  readonly agent = '';
  readonly skill = '';
  readonly operation = 'SendMessage';
  readonly dialect = 'a2a-1.0';
  readonly binding = 'jsonrpc';
  readonly task = noTask;
  readonly size = 0;
  readonly mediaTypes = [];
  readonly messageMetadata = {};
  readonly requestMetadata = {};
  readonly metadata = {};
  readonly extensions = [];
  readonly now = Date.now();
  readonly path = [];
}

/**
 * Returns the given facts, with defaults of an anonymous caller's call. Given `metadata` are the message's, unless
 * `messageMetadata` are given, too.
 */
export function plainFacts({ caller, task, ...given }: GivenFacts): CallFacts {
  const facts = new PlainFacts();
  const named = caller?.id !== undefined && { anonymous: false };
  const { messageMetadata = given.metadata ?? {}, requestMetadata = {}, mediaTypes } = given;
  return Object.assign(facts, given, {
    ...(mediaTypes && { mediaTypes: [...new Set(mediaTypes.map(plainMediaType))] }),
    messageMetadata,
    requestMetadata,
    metadata: mergedMetadata(messageMetadata, requestMetadata),
    caller: { ...facts.caller, ...named, ...caller },
    task: { ...facts.task, ...task },
  });
}

/** Returns the facts about a caller before it has sent a message. */
export const factsOfCaller = (
  principal: Principal,
  given: Pick<GivenFacts, 'tenant' | 'agent' | 'skill' | 'operation' | 'binding' | 'dialect'>,
): CallFacts => plainFacts({ caller: callerOf(principal), ...given });

/** Returns the facts about the owner of a task. `isKnown`: the gateway knows more of the owner than the id. */
export function factsOfOwner(
  { principal: id, agent, tenant }: Pick<TaskOwner, 'principal' | 'agent' | 'tenant'>,
  { revalidate }: Pick<FactSources, 'revalidate'>,
  given: Pick<GivenFacts, 'operation'> = {},
): { readonly facts: CallFacts; readonly isKnown: boolean } {
  const anonymous = id === principalIds.anonymous;
  const principal = anonymous ? { id, anonymous } : revalidate({ id, anonymous, byId: true });
  const facts = factsOfCaller(principal ?? { id, anonymous }, { agent, tenant, ...given });
  return { facts, isKnown: principal !== undefined };
}

/** Returns the id of the conversation that a request names. '': it names none. */
export function askedContext(request: unknown): string {
  const { contextId, message } = request as {
    readonly contextId?: string;
    readonly message?: { readonly contextId?: string };
  };
  return message?.contextId ?? contextId ?? '';
}
