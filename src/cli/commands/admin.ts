import type { AdminClient } from '../../client/index.ts';
import { isObject, own } from '../../core/model/json.ts';
import { oneLine } from '../../core/model/text.ts';
import { type OperationName, operations } from '../../gen/admin-v1/operations.ts';
import type { ListRegistrationsResponse } from '../../gen/admin-v1/types.ts';
import type { Field } from '../../gen/api.ts';
import { fieldsOf, isArgument, wordsOf } from '../admin-fields.ts';
import { jsonInput } from '../input.ts';
import type { Output } from '../output.ts';
import { type GatewayOptions, withAdmin } from '../own-gateway.ts';
import { noteCompleteness, printNumbers } from './call-answers.ts';

/** Fields of lists and streams that are shown as columns. Default: the first fields. */
const columns: Readonly<Record<string, readonly string[]>> = {
  AgentStatus: ['name', 'mode', 'state', 'kind', 'dialect', 'calls', 'failedCalls', 'liveTasks'],
  TaskSummary: ['updatedAt', 'state', 'agent', 'principal', 'key', 'preview', 'reason'],
  TaskGroup: ['count', 'state', 'agent', 'reason', 'latestAt', 'latestKey', 'contextId', 'preview'],
  TaskLogEvent: ['position', 'time', 'event'],
  DeliveryStatus: ['state', 'taskId', 'configId', 'receiver', 'attempts', 'time', 'reason'],
  CallSummary: ['time', 'status', 'error', 'principal', 'agent', 'operation', 'durationMs', 'reason'],
  CallerStatus: ['principal', 'calls', 'failedCalls', 'lastUsedAt', 'lastOperation', 'lastAgent'],
  LossCount: ['path', 'dialect', 'ofAgent', 'count', 'lastAt', 'lastAgent', 'lastPrincipal', 'lastRequestId'],
  ReplicaStatus: ['id', 'host', 'pid', 'alive', 'startedAt', 'heartbeatAt', 'tasks'],
  RegisteredAgent: ['name', 'owner', 'active', 'expiresAt', 'problem'],
  Stop: ['kind', 'subject', 'reason', 'stoppedBy', 'stoppedAt'],
  RefusedUpdate: ['time', 'agent', 'principal', 'verificationStatus', 'verificationDetails'],
};
const defaultColumns = 6;

export type AdminFlags = GatewayOptions & Readonly<Record<string, unknown>>;

type Json = Readonly<Record<string, unknown>>;

/** `a2a-gateway admin …`: calls an operation of the admin service, and prints the response. */
export async function admin(operation: OperationName, ...rest: readonly unknown[]): Promise<void> {
  const output = rest.at(-1) as Output;
  const options = rest.at(-2) as AdminFlags;
  const row = operations.find(({ name }) => name === operation);
  if (!row) throw new TypeError(`no such operation: ${operation}`);
  const given = rest.slice(0, -2) as (string | undefined)[];
  const request = requestOf(row.request, given, options);
  await withAdmin(given.at(-1), options, output, async (client) => {
    const method = client[`${operation.charAt(0).toLowerCase()}${operation.slice(1)}` as keyof AdminClient];
    const answer = (method as (request: unknown) => Promise<Json> | AsyncIterable<Json>)(request);
    if (Symbol.asyncIterator in answer) {
      for await (const event of answer) {
        output.print(`${options.json === true ? JSON.stringify(event) : lineOf(row.response, event)}\n`);
      }
    } else printAnswer(row.response, await answer, options, output);
  });
}

/**
 * Creates the request. `given` are the arguments: the subjects of the operation in the order of its fields, and the
 * target.
 */
function requestOf(type: string, given: readonly unknown[], options: Json): Json {
  const subjects = given.values();
  const request: Record<string, unknown> = {};
  for (const field of fieldsOf(type)) {
    // Commander shares one property between `--name` of a command and of its parents, so subjects are arguments.
    const value = isArgument(field) ? subjects.next().value : options[field.jsonName];
    if (value !== undefined) request[field.jsonName] = fieldValue(field, value);
  }
  return request;
}

function fieldValue({ jsonName, kind, type }: Field, value: unknown): unknown {
  if (kind === 'enum') {
    const words = wordsOf(type);
    return Array.isArray(value) ? value.map((word: string) => own(words, word)) : own(words, value as string);
  }
  if (kind === 'struct') return (value as readonly string[]).flatMap((text) => partsOf(jsonName, text));
  if (jsonName === 'states') return (value as readonly string[]).map(stateOf);
  return value;
}

/** Converts a word to a task state: `working` is TASK_STATE_WORKING. */
const stateOf = (word: string): string =>
  word.startsWith('TASK_STATE_') ? word : `TASK_STATE_${word.toUpperCase().replaceAll('-', '_')}`;

/** Reads parts from JSON, either one part or a list, or from a text. */
function partsOf(name: string, text: string): readonly unknown[] {
  if (!/^\s*[[{]/.test(text)) return [{ text }];
  return [jsonInput(text, `--${name}: `, '{"data":{"city":"Paris"}}')].flat();
}

function printAnswer(type: string, answer: Json, options: AdminFlags, output: Output): void {
  const list = listIn(type);
  const hasNumbers = type.endsWith('.ListNumbersResponse');
  if (options.json === true || !(list || hasNumbers)) {
    output.json(answer);
    return;
  }
  if (hasNumbers) printNumbers(answer, output);
  else if (list) printList(type, list, answer, output);
  noteCompleteness(answer, output);
  const { missingReplicas = [] } = answer as { readonly missingReplicas?: readonly string[] };
  if (missingReplicas.length > 0) output.note(`warning: these replicas did not answer: ${missingReplicas.join(', ')}`);
  if (answer.nextPageToken) output.note(`note: there are more; continue with --page-token ${answer.nextPageToken}`);
}

function printList(type: string, list: Field, answer: Json, output: Output): void {
  const shown = columnsOf(list.type);
  const rows = ((answer[list.jsonName] ?? []) as readonly Json[]).map((item) =>
    shown.map((field) => cellOf(field, item[field.jsonName])),
  );
  output.table(
    shown.map(({ jsonName }) => titleOf(jsonName)),
    rows,
  );
  if (rows.length === 0) output.note(`no ${titleOf(list.jsonName)}`);
  if (type.endsWith('.ListRegistrationsResponse')) printWaiting(answer as ListRegistrationsResponse, output);
}

/**
 * Prints the cards that wait for approval, with their differences from the served cards. All texts come from the
 * agents.
 */
function printWaiting({ registrations = [] }: ListRegistrationsResponse, output: Output): void {
  for (const { name, revisions = [] } of registrations) {
    for (const { id, state, differences = [] } of revisions) {
      if (state !== 'REVISION_STATE_WAITING') continue;
      output.print(`\n${name} waits for approval: a2a-gateway admin approve-agent ${name} ${id}\n`);
      for (const { path, before = '', after = '' } of differences) {
        const change = before === '' ? `+ ${path}: ${after}` : `${path}: ${before} -> ${after || 'nothing'}`;
        output.print(`  ${oneLine(change, Number.POSITIVE_INFINITY)}\n`);
      }
    }
  }
}

/** Returns the list of messages in a response: the only one, or the only one with columns of its own. */
function listIn(type: string): Field | undefined {
  if (!type.endsWith('Response')) return undefined;
  const lists = fieldsOf(type).filter(({ kind, repeated }) => kind === 'message' && repeated);
  const known = lists.filter((list) => columnNames(list.type) !== undefined);
  const [list, another] = known.length > 0 ? known : lists;
  return another ? undefined : list;
}

const columnNames = (type: string): readonly string[] | undefined => columns[type.slice(type.lastIndexOf('.') + 1)];

function columnsOf(type: string): readonly Field[] {
  const all = fieldsOf(type);
  return (
    columnNames(type)?.flatMap((name) => all.find(({ jsonName }) => jsonName === name) ?? []) ??
    all.slice(0, defaultColumns)
  );
}

const lineOf = (type: string, event: Json): string =>
  columnsOf(type)
    .map((field) => cellOf(field, event[field.jsonName]))
    .join('  ');

/** Converts the name of a field to a title: `lastUsedAt` is shown as "last used at". */
const titleOf = (name: string): string => name.replace(/[A-Z]/g, (capital) => ` ${capital.toLowerCase()}`);

/**
 * Formats a value: states and modes without their prefixes, everything else unchanged. Responses omit zeros, which are
 * shown.
 */
function cellOf({ kind, type, presence, repeated }: Field, value: unknown): string {
  if (value === undefined || value === null) {
    const isZero = kind === 'scalar' && type !== 'string' && !presence && !repeated;
    return isZero ? (type === 'bool' ? 'false' : '0') : '';
  }
  if (isObject(value) || Array.isArray(value)) return JSON.stringify(value);
  return String(value).replace(/^(?:TASK_STATE|AGENT_MODE)_([A-Z_]+)$/, (_, word: string) =>
    word.toLowerCase().replaceAll('_', '-'),
  );
}
