import { expect, test } from 'vitest';
import { api } from '../../../src/core/model/a2a.ts';
import { A2AError } from '../../../src/core/model/errors.ts';
import { createDialects } from '../../../src/dialects/registry.ts';
import { errorOfTrailers, parseTrailers } from '../../../src/extensions/console/wire/answer.ts';
import {
  bindingsOf,
  type Callable,
  callablesOf,
  servedProtocols,
} from '../../../src/extensions/console/wire/callables.ts';
import { quoted } from '../../../src/extensions/console/wire/commands.ts';
import { after, goesOn, newRequest, nextIds, withIds } from '../../../src/extensions/console/wire/conversation.ts';
import { fieldsOf, isText, labelOf, newMessage } from '../../../src/extensions/console/wire/form.ts';
import { commandOf, withoutEmpty, writeRequest } from '../../../src/extensions/console/wire/request.ts';
import { statusHeaders } from '../../../src/transports/rpc/errors.ts';

const dialects = createDialects();
const { fields } = api;

function callable(protocol: string, binding: Parameters<typeof callablesOf>[1], operation: string): Callable {
  const found = dialects.protocols.find(({ name }) => name === protocol);
  const one = found && callablesOf(found, binding).find(({ method }) => method.operation === operation);
  if (!one) throw new TypeError(`${protocol} has no ${operation} over ${binding}`);
  return one;
}

test('previews are offered only where the gateway says that it serves them', () => {
  const names = (served?: string[]) => servedProtocols(dialects, served).map(({ name }) => name);
  expect(names()).toContain('a2a-1.0');
  expect(names()).not.toContain('a2a-1.1');
  expect(names(['a2a-1.1'])).toContain('a2a-1.1');
});

test('a dialect has the bindings that it has methods for', () => {
  const of = (name: string) => bindingsOf(dialects.byName.get(name) as never).map(({ id }) => id);
  expect(of('a2a-1.0')).toEqual(['jsonrpc', 'rest', 'connect', 'grpc-web']);
  expect(of('a2a-0.3')).toEqual(['jsonrpc', 'rest', 'connect', 'grpc-web']);
  expect(of('a2a-0.1')).toEqual(['jsonrpc']);
  expect(of('agentvault-0.2')).toEqual(['jsonrpc']);
});

test('a new request has the fields that are required', () => {
  const request = newMessage(fields, 'lf.a2a.v1.SendMessageRequest');
  expect(request).toEqual({ message: { messageId: '', parts: [{ text: '' }] } });
  const names = fieldsOf(fields, 'lf.a2a.v1.SendMessageRequest').map(({ jsonName }) => jsonName);
  expect(names.toSorted()).toEqual(['configuration', 'message', 'metadata', 'tenant']);
});

test('a field has a control of its own if its value is a text, with its name in words', () => {
  const texts = fieldsOf(fields, 'lf.a2a.v1.ListTasksRequest').filter(isText);
  expect(texts.map(({ jsonName }) => jsonName)).toEqual([
    ...['tenant', 'contextId', 'status', 'pageToken', 'statusTimestampAfter'],
  ]);
  expect(labelOf('statusTimestampAfter')).toBe('Status timestamp after');
});

test('a conversation continues its task until the task has ended', () => {
  const waiting = after({}, { task: { id: 't', contextId: 'c', status: { state: 'TASK_STATE_INPUT_REQUIRED' } } });
  expect(goesOn(waiting)).toBe(true);
  const made = { messageId: 'm', taskId: 'chosen' };
  expect(nextIds(waiting, made, false)).toEqual({ messageId: 'm', taskId: 't', contextId: 'c' });
  const status = { state: 'TASK_STATE_COMPLETED' };
  const ended = after(waiting, { statusUpdate: { taskId: 't', contextId: 'c', status } });
  expect(goesOn(ended)).toBe(false);
  expect(nextIds(ended, made, false)).toEqual({ messageId: 'm', contextId: 'c' });
  expect(nextIds(ended, made, true)).toEqual({ messageId: 'm', taskId: 'chosen', contextId: 'c' });
  expect(newRequest(callable('a2a-1.0', 'rest', 'GetTask'), ended)).toEqual({ id: 't' });
  const config = newRequest(callable('a2a-1.0', 'rest', 'GetTaskPushNotificationConfig'), ended);
  expect(config).toMatchObject({ taskId: 't' });
});

test('ids of messages follow the conversation until the user enters others', () => {
  const request = newRequest(callable('a2a-1.0', 'jsonrpc', 'SendMessage'), {});
  expect(request).toEqual({ message: { role: 'ROLE_USER', parts: [{ text: '' }] } });
  const ids = { messageId: 'm', contextId: 'c' };
  expect(withIds(request, ids).message).toMatchObject(ids);
  const withId = (id: object): Record<string, unknown> => ({ message: { ...(request.message as object), ...id } });
  const own = withIds(withId({ taskId: 'mine' }), { messageId: 'n', taskId: 't' });
  expect(own.message).toMatchObject({ messageId: 'n', taskId: 'mine' });
  const none = withIds(withId({ contextId: '' }), ids);
  expect(none.message).toMatchObject({ messageId: 'm', contextId: '' });
  expect(withoutEmpty(none).message).not.toHaveProperty('contextId');
});

test('an error in trailers has its reason and its fields', () => {
  const sent = A2AError.invalidParams(undefined, [{ field: 'message.parts', description: 'is required: “ü”' }]);
  const text = Object.entries(statusHeaders(sent)).map(([name, value]) => `${name}: ${value}\r\n`);
  const trailers = parseTrailers(text.join(''));
  const error = errorOfTrailers(trailers);
  expect(error).toMatchObject({ kind: 'invalidParams', message: sent.message, violations: sent.violations });
  expect(errorOfTrailers(parseTrailers('grpc-status: 0'))).toBeUndefined();
});

const message = { messageId: 'm', role: 'ROLE_USER', parts: [{ text: "it's <b>" }] };

function command(
  ...[protocol, binding, operation, request]: [...Parameters<typeof callable>, Record<string, unknown>]
) {
  const one = callable(protocol, binding, operation);
  const credential = 'X-Api-Key';
  const options = { gateway: 'http://localhost:8080', credential, streaming: one.streaming };
  return commandOf(writeRequest(one, request, 'demo'), options);
}

test('a call is a command of curl, and a message with a prefix is bytes', () => {
  const curl = command('a2a-1.0', 'jsonrpc', 'SendMessage', { message });
  expect(curl).toContain('curl http://localhost:8080/demo/as/a2a-1.0 \\\n');
  expect(curl).toContain(`-H 'X-Api-Key: '"$A2A_API_KEY"`);
  expect(curl).toContain(String.raw`"text": "it'\''s <b>"`);
  const enveloped = command('a2a-1.0', 'connect', 'SendStreamingMessage', { message });
  const bytes = Buffer.from(/printf %s (\S+) \| base64 -d/.exec(enveloped)?.[1] ?? '', 'base64');
  expect(bytes.readUInt32BE(1)).toBe(bytes.length - 5);
  expect(JSON.parse(bytes.subarray(5).toString())).toEqual({ message });
  expect(command('admin-1.0', 'rest', 'FindTasks', { agent: 'demo', pageSize: 2 })).toContain('-X GET');
});

test('words of a shell', () => {
  expect(quoted('a-b/c.d')).toBe('a-b/c.d');
  expect(quoted("a'b $c")).toBe(String.raw`'a'\''b $c'`);
});
