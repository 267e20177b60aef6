import { type CelInput, celList, celMap } from '@bufbuild/cel';
import { timestampFromMs } from '@bufbuild/protobuf/wkt';
import type { Message, Part } from '../../core/model/a2a.ts';
import { type Call, type CallContext, ownerOf, parentOf, pathTo, type TreeStep } from '../../core/model/call.ts';
import { isObject, type JsonObject } from '../../core/model/json.ts';
import type { Principal } from '../../core/model/principal.ts';

/** The caller, as policies see it. */
export interface CallerFacts {
  readonly id: string;
  readonly anonymous: boolean;
  readonly scopes: readonly string[];
  readonly attributes: JsonObject;
}

/** The task that a call is about. Texts are empty where it is about none, or about one that the caller does not have. */
export interface TaskFacts {
  readonly id: string;
  readonly contextId: string;
  readonly state: string;
}

export const noTask: TaskFacts = { id: '', contextId: '', state: '' };

/** What policies know of a call. */
export abstract class CallFacts {
  abstract readonly caller: CallerFacts;
  abstract readonly tenant: string;
  abstract readonly agent: string;
  abstract readonly skill: string;
  abstract readonly operation: string;
  abstract readonly dialect: string;
  abstract readonly binding: string;
  abstract readonly task: TaskFacts;
  /** Bytes of the request, as JSON of A2A 1.0. */
  abstract readonly size: number;
  abstract readonly mediaTypes: readonly string[];
  abstract readonly metadata: JsonObject;
  abstract readonly extensions: readonly string[];
  /** Milliseconds since the epoch. */
  abstract readonly now: number;
  /** `AGENT` of this gateway, `GATEWAY/AGENT` of another one. */
  abstract readonly path: readonly string[];
  #data: CelData | undefined;

  /** The same as values of CEL. */
  get data(): CelData {
    this.#data ??= new CelData(this);
    return this.#data;
  }
}

/** Members of a list or mapping of a call. */
export const maxMembers = 500;
/** Characters of all texts in one mapping of a call: searching a text takes as long as it is. */
const maxText = 65_536;

/** Converts each variable when an expression first reads it. */
class CelData {
  readonly #facts: CallFacts;
  #caller: CelInput | undefined;
  #metadata: CelInput | undefined;

  constructor(facts: CallFacts) {
    this.#facts = facts;
  }

  get caller(): CelInput {
    const { scopes, attributes, ...caller } = this.#facts.caller;
    this.#caller ??= celMap(
      new Map<string, CelInput>([
        ...Object.entries(caller),
        ['scopes', listOf(scopes)],
        ['attributes', mapOf(attributes)],
      ]),
    );
    return this.#caller;
  }
  get tenant(): CelInput {
    return this.#facts.tenant;
  }
  get agent(): CelInput {
    return this.#facts.agent;
  }
  get skill(): CelInput {
    return this.#facts.skill;
  }
  get operation(): CelInput {
    return this.#facts.operation;
  }
  get dialect(): CelInput {
    return this.#facts.dialect;
  }
  get binding(): CelInput {
    return this.#facts.binding;
  }
  get task(): CelInput {
    return celMap(new Map(Object.entries(this.#facts.task)));
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

function listOf(values: readonly string[]): CelInput {
  if (values.length > maxMembers) throw new Error(`a list of the call has more than ${maxMembers} members`);
  return celList(values);
}

/** A value of JSON for CEL. Throws for one that is too large to be judged. */
function converted(value: unknown, left: { members: number; text: number }): CelInput {
  if (typeof value === 'string') left.text -= value.length;
  if (left.text < 0) throw new Error(`a mapping of the call has more than ${maxText} characters`);
  if (typeof value !== 'object' || value === null) return value as CelInput;
  const entries = Object.entries(value);
  left.members -= entries.length;
  if (left.members < 0) throw new Error(`a mapping of the call has more than ${maxMembers} members`);
  const members = entries.map(([key, member]): [string, CelInput] => {
    left.text -= key.length;
    return [key, converted(member, left)];
  });
  return Array.isArray(value) ? celList(members.map(([, member]) => member)) : celMap(new Map(members));
}

/** The scopes of callers that have all but those which must be granted by name. */
const allScopes: readonly string[] = ['tasks', 'knowledge'];

const callerOf = ({ id, anonymous, scopes, attributes = {} }: Principal): CallerFacts => ({
  ...{ id, anonymous, attributes },
  scopes: scopes ? [...scopes] : allScopes,
});

interface MessageRequest {
  readonly message?: Message;
  readonly metadata?: JsonObject;
}

/** What facts about calls are found with. */
export interface FactSources {
  /** The skill that a message names; '' where it names none. */
  readonly skillOf: (call: Call) => string;
  /** The caller with its present rights: some are known by their ids alone. Undefined: they are not known. */
  readonly revalidate: (principal: Principal) => Principal | undefined;
  /** The tasks that led to a call of another gateway, by its verified path. Empty where it has none. */
  readonly stepsTo: (context: CallContext) => readonly TreeStep[];
}

/** What is known of a call. What is costly to find is found when a policy reads it. */
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
  #size: number | undefined;
  #now: number | undefined;
  #path: readonly string[] | undefined;

  /** @param operation as which the call is judged, where it is another one */
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
  get skill(): string {
    return this.#sources.skillOf(this.#call);
  }
  get binding(): string {
    return this.#call.context.binding ?? 'local';
  }
  get size(): number {
    this.#size ??= Buffer.byteLength(JSON.stringify(this.#call.request));
    return this.#size;
  }
  get mediaTypes(): readonly string[] {
    const { parts = [] } = (this.#call.request as MessageRequest).message ?? {};
    this.#mediaTypes ??= [...new Set(parts.map(mediaTypeOf))];
    return this.#mediaTypes;
  }
  /** That of the request, and of its message, which counts where both have the same name. */
  get metadata(): JsonObject {
    const { metadata, message } = this.#call.request as MessageRequest;
    return { ...(isObject(metadata) && metadata), ...(isObject(message?.metadata) && message.metadata) };
  }
  get now(): number {
    this.#now ??= Date.now();
    return this.#now;
  }
  get path(): readonly string[] {
    this.#path ??= this.#steps().map(({ gateway, agent }) => (gateway ? `${gateway}/${agent}` : agent));
    return this.#path;
  }

  /** Of a local call, what this gateway knows itself. */
  #steps(): readonly TreeStep[] {
    const { context } = this.#call;
    if (this.binding === 'local') return pathTo(parentOf(context.semantics.taskMetadata));
    return this.#sources.stepsTo(context);
  }
}

function mediaTypeOf({ mediaType, text, data }: Part): string {
  if (mediaType) return mediaType;
  if (text !== undefined) return 'text/plain';
  return data === undefined ? 'application/octet-stream' : 'application/json';
}

/** Facts that are given, such as those of a case in a file. */
export type GivenFacts = Partial<Omit<CallFacts, 'data' | 'caller' | 'task'>> & {
  readonly caller?: Partial<CallerFacts>;
  readonly task?: Partial<TaskFacts>;
};

class PlainFacts extends CallFacts {
  readonly caller = { id: 'anonymous', anonymous: true, scopes: allScopes, attributes: {} };
  readonly tenant = '';
  readonly agent = '';
  readonly skill = '';
  readonly operation = 'SendMessage';
  readonly dialect = 'a2a-1.0';
  readonly binding = 'jsonrpc';
  readonly task = noTask;
  readonly size = 0;
  readonly mediaTypes = [];
  readonly metadata = {};
  readonly extensions = [];
  readonly now = Date.now();
  readonly path = [];
}

/** Those that are not given are as in a call of an anonymous caller. */
export function plainFacts({ caller, task, ...given }: GivenFacts): CallFacts {
  const facts = new PlainFacts();
  const named = caller?.id !== undefined && { anonymous: false };
  return Object.assign(facts, given, {
    caller: { ...facts.caller, ...named, ...caller },
    task: { ...facts.task, ...task },
  });
}

/** What is known of a caller before it has sent a message. */
export const factsOfCaller = (
  principal: Principal,
  given: Pick<GivenFacts, 'tenant' | 'agent' | 'skill' | 'operation' | 'binding' | 'dialect'>,
): CallFacts => plainFacts({ caller: callerOf(principal), ...given });
