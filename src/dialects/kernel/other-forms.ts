import { isObject, type JsonObject, parsedJson } from '../../core/model/json.ts';

/**
 * Forms of agents' answers that no dialect has. A value in another form is read as one that all dialects can read:
 * unknown members do no harm.
 */

/** Another reading of a value, and the reason for it. */
export interface OtherForm {
  readonly value: unknown;
  readonly reason: string;
}

/** Several items of a list that replace one item of it. */
export class Items {
  readonly items: readonly unknown[];

  constructor(items: readonly unknown[]) {
    this.items = items;
  }
}

/** Returns another reading of a value at a path that its dialect cannot read. */
export function otherFormAt(path: string, value: unknown): OtherForm | undefined {
  for (const [place, read] of readers) if (place.test(path)) return read(value);
  return undefined;
}

/** Readers by the end of a path. */
const readers: readonly (readonly [RegExp, (value: unknown) => OtherForm | undefined])[] = [
  [/(?:^|\.)(?:parts|content)\[\d+\]$/, partOf],
  [/(?:^|\.)text$/, innerTextOf],
  [/(?:^|\.)file$/, fileOf],
  [/(?:^|\.)(?:bytes|raw|fileWithBytes)$/, bytesOf],
  [/(?:^|\.)(?:artifacts\[\d+\]|artifact)$/, artifactOf],
  [/(?:^|\.)artifacts$/, artifactsOf],
  [/(?:^|\.)(?:message|history\[\d+\])$/, messageOf],
  [/(?:^|\.)status$/, statusOf],
  [/(?:^|\.)state$/, stateOf],
  [/(?:^|\.)(?:taskId|contextId|id|messageId|artifactId)$/, idOf],
];

/** A part of text in all dialects. */
export const textPart = (text: string): object => ({ kind: 'text', type: 'text', text, content: text });

/** Returns the value of the first of several members that can replace another. */
const memberAmong = (
  object: JsonObject,
  names: readonly string[],
): readonly [name: string, value: unknown] | undefined => {
  for (const name of names) {
    const value = Object.hasOwn(object, name) ? object[name] : undefined;
    if (value !== undefined && value !== null) return [name, value];
  }
  return undefined;
};

/** Returns a text, or texts, in a value. */
function textIn(value: unknown, depth = 0): string | undefined {
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'boolean') return `${value}`;
  if (depth > 2) return undefined;
  if (Array.isArray(value)) {
    const texts = value.map((each) => textIn(each, depth + 1));
    return texts.length > 0 && texts.every((text) => text !== undefined) ? texts.join('') : undefined;
  }
  if (!isObject(value)) return undefined;
  const [, inner] = memberAmong(value, textMembers) ?? [];
  return textIn(inner, depth + 1);
}

const textMembers = ['text', 'content', 'value', 'message', 'markdown', 'output', 'body'];

function innerTextOf(value: unknown): OtherForm | undefined {
  const text = typeof value === 'object' ? textIn(value) : undefined;
  return text === undefined ? undefined : { value: text, reason: 'is a text in another form' };
}

/** Members that hold a part, as models of Python and code of protobuf write them. */
const wrappers = ['root', 'part', 'value'];

function partOf(value: unknown): OtherForm | undefined {
  if (Array.isArray(value)) {
    return value.length === 0 ? undefined : { value: new Items(value), reason: 'is a list: its items are read' };
  }
  if (!isObject(value)) {
    const text = textIn(value);
    return text === undefined ? undefined : { value: textPart(text), reason: 'is a text: read as a part' };
  }
  const [wrapper, inner] = (isCase(value.content) && ['content', value.content]) || memberAmong(value, wrappers) || [];
  if (isObject(inner)) {
    const { $case: name, value: content } = inner;
    return { value: typeof name === 'string' ? { [name]: content } : inner, reason: `is in "${wrapper}"` };
  }
  const name = value.kind ?? value.type ?? value.$case;
  const kind = kindOf(name, value);
  const read = kind && partReaders[kind](value);
  if (!read) return undefined;
  const { metadata } = value;
  return isObject(metadata) ? { ...read, value: { ...(read.value as object), metadata } } : read;
}

/** Whether a value is a `oneof` in the form of protobuf code for TypeScript. */
const isCase = (value: unknown): boolean => isObject(value) && value.$case !== undefined;

type PartKind = 'text' | 'file' | 'data';

/** Returns the kind of a part by its name or by its members. Undefined: an unknown kind. */
function kindOf(name: unknown, part: JsonObject): PartKind | undefined {
  const given = `${name ?? ''}`.toLowerCase();
  const hasText = textIn(part.text) !== undefined;
  if (/^(?:text|string|markdown|output_?text)/.test(given)) return !hasText && isObject(part.data) ? 'data' : 'text';
  if (/^file/.test(given)) return 'file';
  if (/^(?:data|json|application\/json)/.test(given)) return 'data';
  if (hasText) return 'text';
  if (given !== '') return undefined;
  if (part.data !== undefined) return 'data';
  if (memberAmong(part, [...addressMembers, ...bytesMembers, 'file'])) return 'file';
  return textIn(part) === undefined ? undefined : 'text';
}

const partReaders: Readonly<Record<PartKind, (part: JsonObject) => OtherForm | undefined>> = {
  text(part) {
    const text = textIn(part.text ?? part);
    return text === undefined ? undefined : { value: textPart(text), reason: 'is a text in another form' };
  },
  data(part) {
    const [name, given] = memberAmong(part, ['data', 'content', 'json', 'value']) ?? [];
    if (name === undefined) return undefined;
    const data = (typeof given === 'string' ? parsedJson(given) : undefined) ?? given;
    const isWrapped = !isObject(data);
    const value = {
      kind: 'data',
      type: 'data',
      data: isWrapped ? { value: data } : data,
      content: data,
      ...(isWrapped && { metadata: { data_part_compat: true } }),
    };
    return { value, reason: 'is data in another form' };
  },
  file(part) {
    const read = fileOf(part.file ?? part);
    if (!read) return undefined;
    const { bytes, uri, name, mimeType } = read.value as FileForm;
    const value = {
      kind: 'file',
      type: 'file',
      file: read.value,
      ...(bytes !== undefined ? { raw: bytes } : { url: uri }),
      ...(name !== undefined && { filename: name }),
      ...(mimeType !== undefined && { mediaType: mimeType, media_type: mimeType }),
    };
    return { value, reason: `is a file in another form` };
  },
};

interface FileForm {
  readonly bytes?: string;
  readonly uri?: string;
  readonly name?: string;
  readonly mimeType?: string;
}

const addressMembers = ['uri', 'url', 'fileWithUri', 'file_with_uri', 'fileUri', 'file_uri', 'href'];
const bytesMembers = ['bytes', 'raw', 'fileWithBytes', 'file_with_bytes', 'base64', 'data', 'content'];
const nameMembers = ['name', 'filename', 'fileName', 'file_name'];
const typeMembers = ['mimeType', 'mime_type', 'mediaType', 'media_type', 'contentType', 'content_type'];

function fileOf(given: unknown): OtherForm | undefined {
  if (Array.isArray(given)) return given.length === 1 ? fileOf(given[0]) : undefined;
  if (typeof given === 'string') {
    const value = /^(?:data:|\w+:\/\/)/.test(given) ? { uri: given } : { bytes: given };
    return { value, reason: 'is a text' };
  }
  if (!isObject(given)) return undefined;
  const [, address] = memberAmong(given, addressMembers) ?? [];
  const [, content] = memberAmong(given, bytesMembers) ?? [];
  const bytes = typeof content === 'string' ? content : (bytesOf(content)?.value as string | undefined);
  if (!bytes && typeof address !== 'string') return undefined;
  const [, name] = memberAmong(given, nameMembers) ?? [];
  const [, mimeType] = memberAmong(given, typeMembers) ?? [];
  const value: FileForm = {
    ...(bytes ? { bytes } : { uri: address as string }),
    ...(typeof name === 'string' && { name }),
    ...(typeof mimeType === 'string' && { mimeType }),
  };
  return { value, reason: 'is a file in another form' };
}

/** Reads bytes that are a list of numbers, as in the JSON of a Buffer of Node. */
function bytesOf(value: unknown): OtherForm | undefined {
  const list = isObject(value) ? value.data : value;
  if (!Array.isArray(list) || list.length === 0 || !list.every(isByte)) return undefined;
  return { value: Buffer.from(list).toString('base64'), reason: 'is a list of bytes' };
}

// Languages without unsigned bytes count from -128.
const isByte = (value: unknown): boolean =>
  Number.isInteger(value) && (value as number) >= -128 && (value as number) < 256;

/** Members that may replace the parts of a message or an artifact. */
const contentMembers = [
  'content',
  'part',
  'contents',
  'text',
  'output',
  'body',
  'file',
  'data',
  'value',
  'root',
  'message',
];

/** Returns the parts of an object that lacks `parts`, and the member that holds them. */
export function partsIn(container: JsonObject): OtherForm | undefined {
  const [name, content] = memberAmong(container, contentMembers) ?? [];
  if (name === undefined || content === '') return undefined;
  const reason = `is missing: "${name}" is read`;
  if (Array.isArray(content)) return content.length > 0 ? { value: content, reason } : undefined;
  if (name === 'file' || name === 'data' || name === 'text') return { value: [container], reason };
  return { value: [isObject(content) ? content : textPart(`${content}`)], reason };
}

const hasContent = (value: unknown): value is JsonObject => isObject(value) && partsIn(value) !== undefined;

function artifactOf(value: unknown): OtherForm | undefined {
  if (Array.isArray(value)) {
    return value.length === 0 ? undefined : { value: { parts: value }, reason: 'is a list: read as its parts' };
  }
  const text = typeof value === 'string' ? value : undefined;
  if (text === undefined || text === '') return undefined;
  return { value: { parts: [textPart(text)] }, reason: 'is a text: read as an artifact' };
}

/** Reads artifacts that are the values of an object by their ids. */
function artifactsOf(value: unknown): OtherForm | undefined {
  if (!isObject(value) || Object.hasOwn(value, 'parts') || hasContent(value)) return undefined;
  const entries = Object.entries(value);
  if (
    entries.length === 0 ||
    !entries.every(([, one]) => isObject(one) || Array.isArray(one) || typeof one === 'string')
  )
    return undefined;
  const artifacts = entries.map(([artifactId, one]) => {
    const read = isObject(one) ? one : (artifactOf(one)?.value as object | undefined);
    return { artifactId, ...read };
  });
  return { value: artifacts, reason: 'is an object: its values are read as a list' };
}

function messageOf(value: unknown): OtherForm | undefined {
  if (Array.isArray(value)) {
    if (value.length === 0) return undefined;
    const parts = value.flatMap((one) => (isObject(one) && Array.isArray(one.parts) ? one.parts : [one]));
    return { value: { role: 'agent', parts }, reason: 'is a list: read as its parts' };
  }
  const text = textIn(value);
  if (isObject(value) || text === undefined || text === '') return undefined;
  return { value: { role: 'agent', parts: [textPart(text)] }, reason: 'is a text: read as a message' };
}

function statusOf(value: unknown): OtherForm | undefined {
  if (Array.isArray(value)) {
    const last = value.findLast(isObject) ?? (typeof value.at(-1) === 'string' ? { state: value.at(-1) } : undefined);
    return last && { value: last, reason: 'is a list: its last item is read' };
  }
  if (typeof value !== 'string' && typeof value !== 'number') return undefined;
  return { value: { state: value }, reason: 'is a text: read as its state' };
}

function stateOf(value: unknown): OtherForm | undefined {
  if (Array.isArray(value)) return value.length === 1 ? { value: value[0], reason: 'is a list' } : undefined;
  if (!isObject(value)) return undefined;
  const [name, state] = memberAmong(value, stateMembers) ?? [];
  return typeof state === 'string' ? { value: state, reason: `is an object: its ${name} is read` } : undefined;
}

const stateMembers = ['state', 'value', 'name', 'status', 'label', 'code', '$case'];

/** Reads an id in an object, such as that of a database. */
function idOf(value: unknown): OtherForm | undefined {
  const [, id] = (isObject(value) && memberAmong(value, ['id', 'value', '$oid', 'uuid'])) || [];
  return typeof id === 'string' || typeof id === 'number' ? { value: `${id}`, reason: 'is an object' } : undefined;
}

/** Members that replace a missing one. */
const synonyms: Readonly<Record<string, (container: JsonObject) => OtherForm | undefined>> = Object.assign(
  Object.create(null),
  {
    parts: partsIn,
    status: memberOf('state', 'task_status', 'taskStatus'),
    state: memberOf('status', 'value', 'name', 'code', 'phase'),
    id: memberOf('taskId', 'task_id', '_id', 'uuid'),
    taskId: memberOf('task_id', 'taskID', 'id'),
    contextId: memberOf('context_id', 'sessionId', 'session_id', 'contextID'),
    artifactId: memberOf('id', 'artifact_id', 'artifactID'),
    artifact: memberOf('artifacts'),
    file: (container: JsonObject) => fileOf(container),
  },
);

function memberOf(...names: readonly string[]) {
  return (container: JsonObject): OtherForm | undefined => {
    const [name, value] = memberAmong(container, names) ?? [];
    return name === undefined ? undefined : { value, reason: `is missing: "${name}" is read` };
  };
}

/** Returns the value that an object has under another name of a member that it lacks. */
export const synonymOf = (key: PropertyKey, container: JsonObject): OtherForm | undefined =>
  synonyms[key as string]?.(container);

/**
 * Returns the words of a text that may name a state, such as `<TaskState.completed: 'completed'>`, which the programs
 * of agents print.
 */
export function namesIn(text: unknown): string[] {
  if (typeof text !== 'string' || text.length > 200) return [];
  const names = text.split(/[^\p{L}\p{N}_-]+/u).map((name) => name.replace(/^(?:task_?)?(?:state|status)_/i, ''));
  return [...new Set(names.filter((name) => name !== '' && !noise.has(name.toLowerCase())))];
}

/** Words around the name of a state. */
const noise: ReadonlySet<string> = new Set([
  'a2a',
  'taskstate',
  'taskstatus',
  'state',
  'status',
  'task',
  'enum',
  'types',
  'v1',
  'lf',
]);
