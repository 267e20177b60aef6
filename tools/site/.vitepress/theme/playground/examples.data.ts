/** Examples of frames, from those that tests hold the dialects against. VitePress loads them when the site is built. */
import { readFileSync } from 'node:fs';

export interface Example {
  /** Part of links. */
  readonly id: string;
  readonly dialect: string;
  readonly title: string;
  readonly text: string;
}

/** A frame, or part of one that is put into a JSON-RPC envelope. */
interface Row extends Omit<Example, 'text'> {
  readonly file: string;
  readonly kind: string;
  readonly of: string;
  readonly name?: string;
  readonly envelope?: 'request' | 'response';
}

const rows: readonly Row[] = [
  {
    id: 'send-1.0',
    dialect: 'a2a-1.0',
    title: 'SendMessage: a request',
    file: 'recorded-go',
    kind: 'request',
    of: 'SendMessage',
    envelope: 'request',
  },
  {
    id: 'task-1.0',
    dialect: 'a2a-1.0',
    title: 'SendMessage: a response',
    file: 'recorded-python',
    kind: 'result',
    of: 'SendMessage',
    envelope: 'response',
  },
  {
    id: 'stream-1.0',
    dialect: 'a2a-1.0',
    title: 'SendStreamingMessage: a stream',
    file: 'document',
    kind: 'stream',
    of: 'SendStreamingMessage',
  },
  {
    id: 'http-1.0',
    dialect: 'a2a-1.0',
    title: 'SendMessage over HTTP+JSON',
    file: 'recorded-go',
    kind: 'request',
    of: 'SendMessage',
    name: 'over HTTP+JSON',
  },
  { id: 'error-1.0', dialect: 'a2a-1.0', title: 'an error', file: 'document', kind: 'error', of: 'invalidParams' },
  {
    id: 'send-0.3',
    dialect: 'a2a-0.3',
    title: 'message/send: a request',
    file: 'recorded-jsonrpc',
    kind: 'request',
    of: 'message/send',
    envelope: 'request',
  },
  {
    id: 'stream-0.3',
    dialect: 'a2a-0.3',
    title: 'message/stream: a stream',
    file: 'recorded-jsonrpc',
    kind: 'stream',
    of: 'message/stream',
  },
  { id: 'card-0.3', dialect: 'a2a-0.3', title: 'an agent card', file: 'recorded-jsonrpc', kind: 'type', of: 'card' },
  {
    id: 'http-0.3',
    dialect: 'a2a-0.3',
    title: 'SendMessage over HTTP+JSON',
    file: 'recorded-rest',
    kind: 'request',
    of: 'SendMessage',
  },
  {
    id: 'send-0.2',
    dialect: 'a2a-0.2',
    title: 'message/send: a request',
    file: 'recorded-jsonrpc',
    kind: 'request',
    of: 'message/send',
    envelope: 'request',
  },
  {
    id: 'send-0.1',
    dialect: 'a2a-0.1',
    title: 'tasks/send: a request',
    file: 'python-client',
    kind: 'request',
    of: 'tasks/send',
    envelope: 'request',
  },
  {
    id: 'task-0.1',
    dialect: 'a2a-0.1',
    title: 'tasks/send: a response',
    file: 'python-server',
    kind: 'result',
    of: 'tasks/send',
    envelope: 'response',
  },
  { id: 'card-0.1', dialect: 'a2a-0.1', title: 'an agent card', file: 'python-server', kind: 'type', of: 'card' },
  {
    id: 'send-vault',
    dialect: 'agentvault-0.2',
    title: 'tasks/send: a request',
    file: 'recorded-wire',
    kind: 'request',
    of: 'tasks/send',
    envelope: 'request',
  },
  {
    id: 'task-vault',
    dialect: 'agentvault-0.2',
    title: 'tasks/get: a response',
    file: 'recorded-wire',
    kind: 'result',
    of: 'tasks/get',
    envelope: 'response',
  },
  {
    id: 'stream-vault',
    dialect: 'agentvault-0.2',
    title: 'tasks/sendSubscribe: a stream',
    file: 'recorded-wire',
    kind: 'stream',
    of: 'tasks/sendSubscribe',
  },
  {
    id: 'send-php',
    dialect: 'a2a-php-0.3',
    title: 'tasks/send: a request',
    file: 'recorded',
    kind: 'request',
    of: 'tasks/send',
    envelope: 'request',
  },
];

interface Golden {
  readonly name: string;
  readonly kind: string;
  readonly of: string;
  readonly http?: string;
  readonly in: string;
}

const golden = new URL('../../../../../test/golden/', import.meta.url);

function exampleOf({ file, kind, of, name, envelope, ...example }: Row): Example {
  const path = new URL(`${example.dialect}/${file}.json`, golden);
  const frames: readonly Golden[] = JSON.parse(readFileSync(path, 'utf8'));
  const found = frames.find((one) => one.kind === kind && one.of === of && (name === undefined || one.name === name));
  if (!found) throw new Error(`${path}: there is no ${kind} ${of}`);
  return { ...example, text: textOf(found, of, envelope) };
}

function textOf({ kind, http, in: text }: Golden, method: string, envelope: Row['envelope']): string {
  if (kind === 'stream') return text.trimEnd();
  const value = text === '' ? undefined : JSON.parse(text);
  if (envelope === 'request') return pretty({ jsonrpc: '2.0', id: 1, method, params: value });
  if (envelope === 'response') return pretty({ jsonrpc: '2.0', id: 1, result: value });
  const body = value === undefined ? '' : pretty(value);
  return http === undefined ? body : `${http}\n\n${body}`;
}

const pretty = (value: unknown): string => JSON.stringify(value, undefined, 2);

export declare const data: readonly Example[];

export default {
  watch: ['../../../../../test/golden/*/*.json'],
  load: (): readonly Example[] => rows.map(exampleOf),
};
