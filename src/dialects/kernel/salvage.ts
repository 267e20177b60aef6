import {
  type Artifact,
  api,
  isStreamResponse,
  type Message,
  type StreamResponse,
  type Struct,
  type Task,
  type TaskState,
  type TaskStatus,
} from '../../core/model/a2a.ts';
import { A2AError, type FieldViolation } from '../../core/model/errors.ts';
import { isObject } from '../../core/model/json.ts';
import { isTerminal, lifecycle } from '../../core/model/lifecycle.ts';
import { maxUnread, type Unread, unreadKey } from '../../core/model/unread.ts';
import { JsonMender } from '../../wire/mend-json.ts';
import { issuesOf, refusal } from '../../wire/validate.ts';
import type { Salvaging } from './codec.ts';
import { contentFilledIn, contentPlacedIn, documentForms } from './document-forms.ts';
import { namesIn, type OtherForm } from './other-forms.ts';
import { spellingOf, type Table } from './record.ts';
import { quoted, Repair } from './repair.ts';

/** Number of times that a document is repaired and decoded again. Each round mends up to 20 places. */
const maxRounds = 50;

/**
 * Decodes the answers of one call of an agent. Parts that cannot be read are left out, and named in the metadata of the task or
 * message (`a2a-gateway/unread`) and among the losses of the call. The strict decoder runs first, so that an answer which it can
 * read has no further cost.
 */
export class Salvage implements Salvaging {
  readonly #losses: Set<string>;
  readonly #tables: Readonly<Record<string, Table>>;
  /** Pieces of unreadable frames and texts: the next event names them. */
  #pending: Unread[] = [];
  #taskId: string | undefined;
  #contextId: string | undefined;
  #over = false;
  /** State of the task in the latest event that has one; undefined before the first event. */
  #state: TaskState | undefined;
  #mender: JsonMender | undefined;
  /** Whether the mender has read the frame that is decoded next. */
  #isMended = false;

  /**
   * @param losses the losses of the call
   * @param tables of the binding, which map its members to v1's names
   * @param taskId of the task that the call is about, if known
   */
  constructor(losses: Set<string>, tables: Readonly<Record<string, Table>> = {}, taskId?: string) {
    this.#losses = losses;
    this.#tables = tables;
    this.#taskId = taskId;
  }

  /**
   * Whether the last event was marked as the end of the stream (A2A 0.3 section 7.2.3), with a state that cannot be
   * read.
   */
  get over(): boolean {
    return this.#over;
  }

  /**
   * Parses JSON text that was refused. Invalid content, such as half a character, is left out and named by the next
   * event.
   *
   * @param refused the reason, which is thrown for text that is not JSON
   */
  mend(text: string, maxDepth: number, refused: unknown): unknown {
    if (!(refused instanceof A2AError) || refused.kind !== 'parse') throw refused;
    this.#mender ??= new JsonMender();
    const { value, unread } = this.#mender.parse(text, maxDepth);
    this.#add(unread);
    this.#isMended = true;
    return value;
  }

  /** Names pieces that were read as something else: the next event reports them. */
  name(unread: readonly Unread[]): void {
    const isNew = ({ path, reason }: Unread): boolean =>
      !this.#pending.some((one) => one.path === path && one.reason === reason);
    this.#add(unread.filter(isNew));
  }

  /** Answers over JSON-RPC are in an envelope, whose member is not part of the path. */
  #add(unread: readonly Unread[]): void {
    for (const { path, reason } of unread) this.#pending.push({ path: path.replace(/^result\.?/, ''), reason });
  }

  /**
   * Decodes a unary answer.
   *
   * @throws A2AError `invalidParams` if nothing of it can be read
   */
  result<T extends { readonly value: unknown }>(wire: unknown, decode: (wire: unknown) => T): T {
    const { value, unread, state, wire: read = wire } = this.#decode(wire, decode);
    const subject = subjectIn(value.value as object);
    if (subject) return { ...value, value: this.#finish(value.value as never, subject, { wire: read, unread, state }) };
    this.#name([...this.#pending, ...unread]);
    this.#pending = [];
    return value;
  }

  /** Decodes a frame of a stream; no events if nothing can be read. Throws the error of an error frame. */
  events(wire: unknown, decode: (wire: unknown) => readonly StreamResponse[]): readonly StreamResponse[] {
    if (this.#mender?.isWaiting && !this.#isMended) this.#add(this.#mender.takeHalves());
    this.#isMended = false;
    try {
      const { value, unread, state, wire: read = wire } = this.#decode(wire, decode);
      let left = unread;
      const events = value.flatMap((event) => {
        const subject = subjectIn(event);
        if (!subject) return unread.length === 0 ? [event] : [];
        const found = { wire: read, unread: left, state };
        left = [];
        return [this.#finish(event, subject, found)];
      });
      this.#pending.push(...left);
      return events;
    } catch (thrown) {
      const violations = violationsOf(thrown);
      if (violations.length === 0) throw thrown;
      this.#pending.push({ path: '', reason: `an event could not be read: ${(thrown as A2AError).message}` });
      return [];
    }
  }

  /**
   * Ends a stream: returns the event that names pieces that could not be read after the last event, if there are any.
   *
   * @throws A2AError `invalidAgentResponse` if no event of the stream could be read
   */
  end(): readonly StreamResponse[] {
    if (this.#mender?.isWaiting) this.#add(this.#mender.takeHalves());
    const unread = this.#pending;
    const state = this.#state;
    if (unread.length === 0) return [];
    if (state === undefined)
      throw new A2AError('invalidAgentResponse', `The server's answer is not valid: ${unread[0]?.reason}`);
    if (isTerminal(state) || this.#taskId === undefined) {
      this.#name(unread);
      return [];
    }
    const statusUpdate = { taskId: this.#taskId, contextId: this.#contextId ?? '', status: { state } };
    return this.events({ statusUpdate }, () => [{ statusUpdate }]);
  }

  #decode<T>(wire: unknown, decode: (wire: unknown) => T): Decoded<T> {
    const placed = contentPlacedIn(wire);
    if (placed) return this.#decodeInstead(placed, decode);
    try {
      const value = decode(wire);
      const filled = lacksParts(value) ? contentFilledIn(wire) : undefined;
      return filled ? this.#decodeInstead(filled, decode) : { value, unread: [], state: undefined };
    } catch (thrown) {
      if (violationsOf(thrown).length === 0) throw thrown;
      return this.#decodeInOtherForm(wire, decode, thrown);
    }
  }

  #decodeInstead<T>({ value, reason }: OtherForm, decode: (wire: unknown) => T): Decoded<T> {
    const read = this.#decode(value, decode);
    return { wire: value, ...read, unread: [{ path: '', reason }, ...read.unread] };
  }

  /** Decodes a repaired answer, or else one in another form. Throws the first error if it has none. */
  #decodeInOtherForm<T>(wire: unknown, decode: (wire: unknown) => T, refused: unknown): Decoded<T> {
    const known = { taskId: this.#taskId, contextId: this.#contextId };
    let first: unknown;
    try {
      return repaired(wire, decode, refused, known);
    } catch (thrown) {
      first = thrown;
    }
    for (const { value, reason } of documentForms(wire)) {
      try {
        const read = repaired(value, decode, undefined, known);
        return { ...read, wire: value, unread: [{ path: '', reason }, ...read.unread] };
      } catch {}
    }
    throw first;
  }

  /** Makes a decoded value valid in v1, and adds the pieces that could not be read. */
  #finish<T extends object>(value: T, subject: Subject, { wire, unread, state }: Found): T {
    let valid = value;
    let all = unread.map((one) => ({ ...one, path: this.#pathInV1(one.path, subject) }));
    let unknown = state;
    if (!isStreamResponse(subject.event)) {
      const checked = repaired(subject.event, checkEvent, undefined, {
        taskId: this.#taskId,
        contextId: this.#contextId,
      });
      all = [...all, ...checked.unread.map(({ path, reason }) => ({ path: withoutStep(path), reason }))];
      unknown ??= checked.state;
      valid = subject.put(value, checked.value) as T;
    }
    const mended = (valid === value ? undefined : subjectIn(valid)) ?? subject;
    fillParts(mended.event);
    all = [...all, ...mergeArtifacts(mended.event)];
    const { status } = mended.holder as { status?: { -readonly [K in keyof TaskStatus]: TaskStatus[K] } };
    if (status && unknown !== undefined) status.state = 'TASK_STATE_UNSPECIFIED';
    else if (status?.state === 'TASK_STATE_UNSPECIFIED' && !isUnspecified(stateIn(wire))) {
      const named = stateNamed(stateIn(wire));
      if (named) status.state = named;
      else all = [...all, { path: 'status.state', reason: unknownState(stateIn(wire)) }];
    }
    this.#over = status?.state === 'TASK_STATE_UNSPECIFIED' && isFinal(wire);
    this.#learn(mended.event);
    if (all.length === 0 && this.#pending.length === 0) return valid;
    const waiting = this.#pending.map((one) => ({ ...one, path: this.#pathInV1(one.path, mended) }));
    const named = [...waiting, ...all];
    this.#pending = [];
    this.#name(named);
    const { holder } = mended;
    holder.metadata = { ...holder.metadata, [unreadKey]: named.slice(0, maxUnread).map(lineOf) };
    return valid;
  }

  #name(unread: readonly Unread[]): void {
    for (const { path } of unread) if (path !== '') this.#losses.add(path.replace(/\[\d+\]/g, ''));
  }

  /** Keeps the ids of the task, which later answers may lack. */
  #learn({ task, statusUpdate, artifactUpdate }: StreamResponse): void {
    const id = task?.id ?? (statusUpdate ?? artifactUpdate)?.taskId;
    if (id) this.#taskId = id;
    const contextId = (task ?? statusUpdate ?? artifactUpdate)?.contextId;
    if (contextId) this.#contextId = contextId;
    this.#state = (task ?? statusUpdate)?.status.state ?? this.#state ?? 'TASK_STATE_WORKING';
  }

  /** Converts a path of the wire to the names of v1, from the task, message or event that it is about. */
  #pathInV1(path: string, { type, member }: Subject): string {
    const steps = path.split(/\.|(?=\[)/).filter((step) => step !== '');
    let table = Object.values(this.#tables).find((one) => one.type === type);
    if (steps[0] === member) steps.shift();
    const named = steps.map((step) => {
      if (step.startsWith('[')) return step;
      const row = Object.entries(table?.rows ?? {}).find(([key, { as }]) => (as ?? key) === step);
      const of = row?.[1].of;
      table = of && 'rows' in of ? of : undefined;
      return `.${row?.[0] ?? step}`;
    });
    return named.join('').replace(/^\./, '');
  }
}

/** Lines in the metadata: the path and the reason. */
const lineOf = ({ path, reason }: Unread): string => (path === '' ? reason : `${path}: ${reason}`);

interface Decoded<T> {
  readonly value: T;
  /** The answer in the form that was decoded, if it is another. */
  readonly wire?: unknown;
  readonly unread: readonly Unread[];
  /** The state that no dialect has. */
  readonly state: string | undefined;
}

/** Facts found while an answer was decoded. */
interface Found {
  readonly wire: unknown;
  readonly unread: readonly Unread[];
  readonly state: string | undefined;
}

/** Repairs a value until it can be decoded. Throws the first error if it cannot. */
function repaired<T>(
  value: unknown,
  decode: (value: unknown) => T,
  refused: unknown,
  known: ConstructorParameters<typeof Repair>[1],
): Decoded<T> {
  const repair = new Repair(value, known);
  let first = refused;
  let violations = violationsOf(refused);
  for (let round = 0; round < maxRounds; round += 1) {
    if (round > 0 || refused !== undefined) {
      if (!repair.mend(violations)) break;
    }
    try {
      return { value: decode(repair.value), unread: repair.unread, state: repair.unknownState };
    } catch (thrown) {
      first ??= thrown;
      violations = violationsOf(thrown);
      if (violations.length === 0) throw thrown;
    }
  }
  throw first;
}

const violationsOf = (thrown: unknown): readonly FieldViolation[] =>
  thrown instanceof A2AError && thrown.kind === 'invalidParams' ? thrown.violations : [];

/** @throws A2AError `invalidParams` that names the invalid fields in v1 */
function checkEvent(event: unknown): StreamResponse {
  const issues = issuesOf(api, `${api.package}.StreamResponse`, event);
  if (issues.length > 0) throw refusal(issues);
  return event as StreamResponse;
}

/** Location of a task, a message or an update in an answer. */
interface Subject {
  readonly type: string;
  /** Name in the event. */
  readonly member: string;
  /** Object whose metadata name the pieces that could not be read. */
  readonly holder: { metadata?: Struct };
  /** An event with it. */
  readonly event: StreamResponse;
  /** Returns the answer with the content of another event. */
  put(value: object, event: StreamResponse): object;
}

const types = {
  task: 'Task',
  message: 'Message',
  statusUpdate: 'TaskStatusUpdateEvent',
  artifactUpdate: 'TaskArtifactUpdateEvent',
} as const;

const members = Object.keys(types) as (keyof typeof types)[];

/** Returns the task, message or update in an answer. Undefined: it is a list, a card or a push configuration. */
function subjectIn(value: object): Subject | undefined {
  const event = value as StreamResponse;
  for (const member of members) {
    const holder = event[member];
    if (holder) return { type: types[member], member, holder, event, put: (_, next) => next };
  }
  const task = value as Partial<Task>;
  if (typeof task.id !== 'string' || !isObject(task.status)) return undefined;
  return {
    type: types.task,
    member: 'task',
    holder: task,
    event: { task: task as Task },
    put: (_, next) => next.task as Task,
  };
}

/** Returns the messages and artifacts in an event that have no parts. */
function withoutParts({ task, message, statusUpdate, artifactUpdate }: StreamResponse): (Message | Artifact)[] {
  const { status, history = [], artifacts = [] } = task ?? { status: statusUpdate?.status };
  const found: (Message | Artifact)[] = [];
  for (const one of [message, status?.message, artifactUpdate?.artifact, ...history, ...artifacts]) {
    if (one && !(one.parts?.length > 0)) found.push(one);
  }
  return found;
}

/** Whether a message or an artifact in decoded events, or in a decoded answer, has no parts. */
function lacksParts(decoded: unknown): boolean {
  const values = Array.isArray(decoded) ? decoded : isObject(decoded) ? [decoded.value] : [];
  const [first] = values;
  if (values.length !== 1 || !isObject(first)) return false;
  const subject = subjectIn(first);
  return subject !== undefined && withoutParts(subject.event).length > 0;
}

/** Messages and artifacts of v1 have at least one part: one without any gets an empty text. */
function fillParts(event: StreamResponse): void {
  for (const one of withoutParts(event)) one.parts = [{ text: '' }];
}

/** Joins artifacts with an equal id, since a reader keeps one of each id. Names the artifacts that it has merged. */
function mergeArtifacts({ task }: StreamResponse): Unread[] {
  const { artifacts = [] } = task ?? {};
  if (artifacts.length < 2) return [];
  const byId = new Map<string, Artifact>();
  const unread: Unread[] = [];
  for (const [at, artifact] of artifacts.entries()) {
    const { artifactId } = artifact;
    const first = byId.get(artifactId);
    if (!first) byId.set(artifactId, artifact);
    else {
      first.parts = [...first.parts, ...artifact.parts];
      const reason = `${quoted(artifactId)} is the id of another artifact, with its parts`;
      unread.push({ path: `artifacts[${at}].artifactId`, reason });
    }
  }
  if (task && unread.length > 0) task.artifacts = [...byId.values()];
  return unread;
}

/** Returns a path without its first step, which is the member of the event. */
const withoutStep = (path: string): string => path.replace(/^[^.[]+\.?/, '');

/** Whether an event is marked as the last of its stream. */
function isFinal(wire: unknown): boolean {
  if (!isObject(wire)) return false;
  return wire.final === true || (isObject(wire.statusUpdate) && wire.statusUpdate.final === true);
}

/** Whether a state is a dialect's name for an unknown state. */
const isUnspecified = (state: unknown): boolean => /^(?:unknown|unspecified)$/.test(spellingOf(state));

const states: ReadonlyMap<string, TaskState> = new Map(
  (Object.keys(lifecycle) as TaskState[]).map((name) => [spellingOf(name), name]),
);

/** Returns the state that a text names in addition to other words. */
function stateNamed(text: unknown): TaskState | undefined {
  const [name, ...others] = namesIn(text);
  return others.length === 0 ? states.get(spellingOf(name)) : undefined;
}

const unknownState = (state: unknown): string => `unknown state ${state === undefined ? 'none' : quoted(state)}`;

/** Returns the state as the agent wrote it. */
function stateIn(wire: unknown): unknown {
  if (!isObject(wire)) return undefined;
  const { status, state } = wire;
  if (isObject(status)) return status.state;
  if (state !== undefined) return state;
  const inner = members.map((member) => wire[member]).find(isObject);
  return inner ? stateIn(inner) : undefined;
}
