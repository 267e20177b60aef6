import { isObject, type JsonObject, parsedJson } from '../../core/model/json.ts';
import { type OtherForm, partsIn, textPart } from './other-forms.ts';

/**
 * Forms of whole answers that no dialect has: an answer in another object, in a list or as a text, or of another
 * method.
 */

/** Members in which agents, frameworks and proxies wrap an answer. */
const wrappers = [
  'result',
  'task',
  'message',
  'msg',
  'statusUpdate',
  'status_update',
  'artifactUpdate',
  'artifact_update',
  'data',
  'response',
  'event',
  'root',
  'value',
  'payload',
  'body',
  'output',
  'params',
  'content',
];

/** Largest number of JSON levels around an answer. */
const maxWrapping = 4;

const kinds: ReadonlySet<unknown> = new Set(['task', 'message', 'status-update', 'artifact-update']);

const isSubject = (value: JsonObject): boolean =>
  kinds.has(value.kind) ||
  Array.isArray(value.parts) ||
  Array.isArray(value.artifacts) ||
  isObject(value.artifact) ||
  isObject(value.status) ||
  (typeof value.id === 'string' && (value.status ?? value.state) !== undefined);

/** Returns the tasks, messages and updates in an answer, the outermost first. */
export function subjectsIn(value: unknown, depth = 0): JsonObject[] {
  if (depth > maxWrapping) return [];
  if (Array.isArray(value)) return value.slice(0, 100).flatMap((each) => subjectsIn(each, depth + 1));
  if (typeof value === 'string') {
    const inner = /^\s*[[{]/.test(value) ? parsedJson(value) : undefined;
    return inner === undefined ? [] : subjectsIn(inner, depth + 1);
  }
  if (!isObject(value)) return [];
  const renamed = inCamelCase(value);
  if (isSubject(renamed)) return [renamed];
  return wrappers.flatMap((name) => (Object.hasOwn(renamed, name) ? subjectsIn(renamed[name], depth + 1) : []));
}

/**
 * Returns a task or a status update whose message or only artifact was a sibling of the status, with these in their
 * places.
 */
export function contentPlacedIn(document: unknown): OtherForm | undefined {
  if (!isObject(document)) return undefined;
  for (const name of ['task', 'statusUpdate'] as const) {
    const inner = document[name];
    const placed = isObject(inner) ? contentPlacedIn(inner) : undefined;
    if (placed) return { ...placed, value: { ...document, [name]: placed.value } };
  }
  const { status, message, artifact, artifacts } = document;
  if (!isObject(status)) return undefined;
  const value: Record<string, unknown> = { ...document };
  const moved: string[] = [];
  if (message && !status.message && (typeof message === 'string' || isObject(message))) {
    value.status = { ...status, message };
    delete value.message;
    moved.push('"message" stands beside the status');
  }
  if (artifact && artifacts === undefined && document.kind !== 'artifact-update' && document.kind !== 'status-update') {
    value.artifacts = [artifact];
    delete value.artifact;
    moved.push('"artifact" stands for "artifacts"');
  }
  return moved.length > 0 ? { value, reason: moved.join(', ') } : undefined;
}

/** Returns an answer with parts in each message and artifact that has its content in another member. */
export function contentFilledIn(document: unknown): OtherForm | undefined {
  const reasons: string[] = [];
  const value = filledIn(document, reasons, '');
  return reasons.length > 0 ? { value, reason: reasons.join(', ') } : undefined;
}

/** Members on the way to messages and artifacts. */
const containers = ['task', 'statusUpdate', 'artifactUpdate', 'status', 'message', 'artifact', 'artifacts', 'history'];

function filledIn(value: unknown, reasons: string[], name: string): unknown {
  if (Array.isArray(value)) return value.map((each) => filledIn(each, reasons, name));
  if (!isObject(value)) return value;
  const changed: Record<string, unknown> = { ...value };
  for (const member of containers) {
    if (value[member] !== undefined) changed[member] = filledIn(value[member], reasons, member);
  }
  const holdsParts = ['message', 'artifact', 'artifacts', 'history'].includes(name);
  const parts = holdsParts && !hasItems(value.parts) ? partsIn(value) : undefined;
  if (!parts) return changed;
  reasons.push(`${name}.parts: ${parts.reason}`);
  changed.parts = parts.value;
  return changed;
}

const hasItems = (value: unknown): boolean => Array.isArray(value) && value.length > 0;

/** Yields other readings of an answer that cannot be decoded unchanged, the likeliest first. */
export function* documentForms(document: unknown): Generator<OtherForm> {
  const subjects = subjectsIn(document);
  const [first] = subjects;
  if (first) {
    const reason = first === document ? 'is not in the object that holds it' : 'is in another object or list';
    yield* formsOf(subjects.length > 1 ? joined(subjects) : first, reason);
    return;
  }
  const text = textOf(document);
  if (text === undefined) return;
  const message = { kind: 'message', role: 'agent', parts: [textPart(text)] };
  yield* formsOf(message, 'the answer is a text: read as a message');
}

/** Yields a subject unchanged, in the member of v1, and as the task that an update is about. */
function* formsOf(subject: JsonObject, reason: string): Generator<OtherForm> {
  for (const value of [subject, { [memberOf(subject)]: subject }]) yield { value, reason };
  const task = taskOf(subject);
  if (task) for (const value of [task, { task }]) yield { value, reason: 'the answer is an update: read as its task' };
}

function memberOf(subject: JsonObject): string {
  const { kind, status, artifact, id, artifacts } = subject;
  if (kind === 'message') return 'message';
  if (kind === 'status-update') return 'statusUpdate';
  if (kind === 'artifact-update' || (artifact !== undefined && kind !== 'task')) return 'artifactUpdate';
  if (kind === 'task' || artifacts !== undefined || id !== undefined) return 'task';
  return status !== undefined ? 'statusUpdate' : 'message';
}

/** Returns the task that an update is about. */
function taskOf(subject: JsonObject): JsonObject | undefined {
  const { id, taskId = id, contextId, status, artifact, metadata } = subject;
  const member = memberOf(subject);
  if (member === 'task' || member === 'message' || taskId === undefined) return undefined;
  const task: Record<string, unknown> = { kind: 'task', id: taskId };
  if (contextId !== undefined) task.contextId = contextId;
  task.status = status ?? { state: 'working' };
  if (artifact !== undefined) task.artifacts = [artifact];
  if (metadata !== undefined) task.metadata = metadata;
  return task;
}

/** Joins several subjects: updates into one task, and messages into one message with all parts. */
function joined(subjects: readonly JsonObject[]): JsonObject {
  const tasks = subjects.filter((one) => memberOf(one) !== 'message');
  if (tasks.length === 0) {
    const [first = {}] = subjects;
    return { ...first, parts: subjects.flatMap(({ parts }) => (Array.isArray(parts) ? parts : [])) };
  }
  const messages = subjects.filter((one) => !tasks.includes(one));
  const whole = tasks.map((one) => taskOf(one) ?? one);
  const base = whole.findLast(({ artifacts }) => Array.isArray(artifacts)) ?? whole[0];
  const { status } = whole.findLast((one) => isObject(one.status)) ?? {};
  const updates = tasks.flatMap(({ artifact }) => (isObject(artifact) ? [artifact] : []));
  const history = [...listOf(base?.history), ...messages];
  return {
    ...base,
    status,
    artifacts: updates.length > 0 ? updates : listOf(base?.artifacts),
    ...(history.length > 0 && { history }),
  };
}

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** Members in which programs that do not implement A2A put an answer. */
const textMembers = ['text', 'output', 'answer', 'response', 'content', 'result', 'message', 'reply'];

function textOf(document: unknown): string | undefined {
  if (typeof document === 'string') return document.trim() === '' ? undefined : document;
  if (!isObject(document) || document.error !== undefined) return undefined;
  for (const name of textMembers) {
    const value = Object.hasOwn(document, name) ? document[name] : undefined;
    if (typeof value === 'string' && value !== '') return value;
    if (isObject(value)) return textOf(value);
  }
  return undefined;
}

/** Members whose content is the agent's own. */
const opaque: ReadonlySet<string> = new Set(['metadata', 'data']);

/** Renames the members of an object that begin with capitals, as C# and Go write them by default. */
export function inCamelCase(value: JsonObject): JsonObject {
  if (!Object.keys(value).some((name) => /^[A-Z][a-z]/.test(name))) return value;
  return uncapitalized(value, 0) as JsonObject;
}

function uncapitalized(value: unknown, depth: number): unknown {
  if (depth > 20) return value;
  if (Array.isArray(value)) return value.map((each) => uncapitalized(each, depth + 1));
  if (!isObject(value)) return value;
  const entries = Object.entries(value).map(([name, each]) => {
    const own = name.charAt(0).toLowerCase() + name.slice(1);
    return [own, opaque.has(own) ? each : uncapitalized(each, depth + 1)];
  });
  return Object.fromEntries(entries);
}
