import type { Struct } from '../../core/model/a2a.ts';
import { A2AError } from '../../core/model/errors.ts';
import { isObject } from '../../core/model/json.ts';
import type {
  FilePart,
  Artifact as PlainArtifact,
  Message as PlainMessage,
  Part as PlainPart,
  TaskStatus as PlainStatus,
  Task as PlainTask,
} from '../../gen/a2a-0.3/types.ts';
import type { Artifact, File, Message, Part, Task, TaskStatus } from '../../gen/a2a-php-0.3/types.ts';
import { objectOf } from './read.ts';

/** What the PHP SDK accepts besides, as the strict shapes of A2A 0.3. Everything here was checked before. */

/** Other spellings of the states, in lower case. */
const stateAliases: Readonly<Record<string, string>> = {
  cancelled: 'canceled',
  input_required: 'input-required',
  awaiting_input: 'input-required',
  'awaiting-input': 'input-required',
  auth_required: 'auth-required',
  authentication_required: 'auth-required',
  'authentication-required': 'auth-required',
  received: 'submitted',
  'in-progress': 'working',
  in_progress: 'working',
  processing: 'working',
  error: 'failed',
  done: 'completed',
  success: 'completed',
  processed: 'completed',
};

/** What the SDK's readers know; any other name makes them fail. */
const states: ReadonlySet<string> = new Set([
  'submitted',
  'working',
  'input-required',
  'auth-required',
  'completed',
  'failed',
  'canceled',
  'rejected',
  'unknown',
]);

/** A state by the name that A2A 0.3 has for it; a name that nobody knows is `unknown`. */
export function plainState(name: string): string {
  if (states.has(name)) return name;
  const lower = name.toLowerCase();
  if (states.has(lower)) return lower;
  return Object.hasOwn(stateAliases, lower) ? (stateAliases[lower] as string) : 'unknown';
}

const isList = (value: unknown): value is readonly unknown[] => Array.isArray(value);

function misfit(at: string, index: number, name: string, description: string): A2AError {
  return A2AError.invalidParams(undefined, [{ field: `${at}parts[${index}].${name}`, description }]);
}

const texts: ReadonlySet<string> = new Set(['string', 'number', 'boolean']);

type ToPlain = (part: Part, at: string, index: number) => PlainPart;

const kinds: Readonly<Record<string, ToPlain>> = {
  text(part, at, index) {
    const text = part.text ?? part.content ?? '';
    if (!texts.has(typeof text)) throw misfit(at, index, 'content', 'must be a string');
    return { kind: 'text', text: String(text) };
  },
  file({ file }, at, index) {
    if (!file) throw misfit(at, index, 'file', 'is required');
    return { kind: 'file', file: plainFile(file, at, index) };
  },
  data({ data }, at, index) {
    if (data === undefined || data === null) throw misfit(at, index, 'data', 'is required');
    // A list that is not empty is one; v1 has a place for it.
    return { kind: 'data', data: (isList(data) && data.length === 0 ? {} : data) as Struct };
  },
};

function plainFile({ bytes, uri, url, href, mimeType, name }: File, at: string, index: number): FilePart['file'] {
  const others = { ...(mimeType && { mimeType }), ...(name && { name }) };
  if (typeof bytes === 'string') return { bytes, ...others };
  const reference = uri ?? url ?? href;
  if (typeof reference === 'string') return { uri: reference, ...others };
  throw misfit(at, index, 'file', 'must have bytes or uri');
}

/** By its kind or type, else by its shape. */
function kindOf({ kind, type, text, content, file, data }: Part): string {
  const said = kind ?? type;
  if (typeof said === 'string') return said;
  if (text !== undefined || content !== undefined) return 'text';
  if (file) return 'file';
  return data ? 'data' : 'text';
}

function isPlain({ kind, text, file, data, metadata }: Part): boolean {
  if (isList(metadata)) return false;
  if (kind === 'text') return typeof text === 'string';
  if (kind === 'data') return isObject(data);
  return kind === 'file' && (typeof file?.bytes === 'string' || typeof file?.uri === 'string');
}

function plainPart(part: Part, at: string, index: number): PlainPart {
  if (isPlain(part)) return part as PlainPart;
  const kind = kindOf(part);
  const convert = Object.hasOwn(kinds, kind) ? kinds[kind] : undefined;
  if (!convert) throw misfit(at, index, 'kind', 'must be one of text, file, data');
  const plain = convert(part, at, index);
  const metadata = objectOf(part.metadata, `${at}parts[${index}].metadata`);
  if (metadata) plain.metadata = metadata;
  return plain;
}

function plainParts(parts: readonly Part[] | null | undefined, at: string): PlainPart[] {
  const plain: PlainPart[] = [];
  if (parts) for (let i = 0; i < parts.length; i++) plain.push(plainPart(parts[i] as Part, at, i));
  return plain;
}

/**
 * A message.
 *
 * @param at path of the message, with its dot; '' at the root
 * @throws A2AError `invalidParams` naming a part that is none
 */
export function plainMessage(message: Message, at: string): PlainMessage {
  const { role, parts, metadata } = message;
  return {
    ...message,
    kind: 'message',
    role: role === 'agent' || role === 'assistant' ? 'agent' : 'user',
    parts: plainParts(parts, at),
    metadata: objectOf(metadata, `${at}metadata`) ?? null,
  };
}

/** @param at path of the status, with its dot */
export function plainStatus(status: TaskStatus, at: string): PlainStatus {
  const { state, message, timestamp = null } = status;
  return {
    state: plainState(state),
    timestamp,
    message: message ? plainMessage(message, `${at}message.`) : null,
  };
}

/** @param at path of the artifact, with its dot */
export function plainArtifact(artifact: Artifact, at: string): PlainArtifact {
  const metadata = objectOf(artifact.metadata, `${at}metadata`) ?? null;
  return { ...artifact, parts: plainParts(artifact.parts, at), metadata };
}

/** @throws A2AError `invalidParams` naming a part that is none */
export function plainTask(task: Task): PlainTask {
  const { status, artifacts, history, metadata } = task;
  return {
    ...task,
    kind: 'task',
    status: plainStatus(status, 'status.'),
    artifacts: artifacts?.map((artifact, i) => plainArtifact(artifact, `artifacts[${i}].`)) ?? null,
    history: history?.map((message, i) => plainMessage(message, `history[${i}].`)) ?? null,
    metadata: objectOf(metadata, 'metadata') ?? null,
  };
}
