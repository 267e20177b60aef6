import { execFile, execFileSync } from 'node:child_process';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createDialects } from '../../../src/dialects/registry.ts';
import { callablesOf } from '../../../src/extensions/console/wire/callables.ts';
import { commandOf, writeRequest } from '../../../src/extensions/console/wire/request.ts';
import { adminHeaders, type Opened, openGateway } from '../../support/gateway.ts';
import { paced } from '../../support/pace.ts';

/** Commands that the bench offers are run, as a reader who pastes them would. */

const dialects = createDialects();

const hasCurl = (() => {
  try {
    execFileSync('curl', ['--version']);
    return true;
  } catch {
    return false;
  }
})();

let gateway: Opened;
beforeAll(async () => {
  gateway = await openGateway('agents: { demo: { kind: reference, knowledge: true } }');
});
afterAll(() => gateway.close());

type Binding = Parameters<typeof callablesOf>[1];
type Call = readonly [protocol: string, binding: Binding, operation: string, request: Record<string, unknown>];

function commandFor([name, binding, operation, request]: Call): string {
  const protocol = dialects.protocols.find((one) => one.name === name);
  const callable = protocol && callablesOf(protocol, binding).find((one) => one.method.operation === operation);
  if (!callable) throw new TypeError(`${name} has no ${operation} over ${binding}`);
  const written = writeRequest(callable, request, 'demo');
  const headers = name.startsWith('admin') ? Object.entries(adminHeaders(gateway.url)) : [];
  const http = { ...written, headers: [...written.headers, ...headers] };
  return commandOf(http, { gateway: gateway.url, streaming: callable.streaming });
}

/** Output of a command. */
function run(command: string): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>();
  const options = { timeout: paced(15_000) };
  execFile('sh', ['-c', command], options, (error, out, err) => {
    resolve(error === null ? out : `${out}${err}${error.message}`);
  });
  return promise;
}

const message = (text: string) => ({ message: { messageId: "it's", role: 'ROLE_USER', parts: [{ text }] } });

const calls: readonly (readonly [Call, RegExp])[] = [
  [['a2a-1.0', 'jsonrpc', 'SendMessage', message('say a "word"')], /a \\"word\\"/],
  [['a2a-1.0', 'rest', 'ListTasks', { pageSize: 1 }], /"tasks"/],
  [['a2a-1.0', 'connect', 'SendStreamingMessage', message('stream 2')], /chunk 2/],
  [['a2a-0.3', 'grpc-web', 'SendMessage', message('data')], /"answer": ?42/],
  [['a2a-0.1', 'jsonrpc', 'SendMessage', { message: { ...message('data').message, taskId: 't1' } }], /"answer": ?42/],
];

const services: readonly (readonly [Call, RegExp])[] = [
  [['knowledge-1.0', 'rest', 'Query', { query: '{ entities { totalCount } }' }], /totalCount/],
  [['admin-1.0', 'connect', 'FindTasks', { agent: 'demo', states: ['TASK_STATE_COMPLETED'], pageSize: 1 }], /demo/],
  [['admin-1.0', 'rest', 'GetAgent', { name: 'demo' }], /a2a-1\.0/],
];

const named = (list: readonly (readonly [Call, RegExp])[]) =>
  list.map(([call, says]) => ({ name: call.slice(0, 3).join(' '), call, says }));

test.skipIf(!hasCurl).each(named([...calls, ...services]))(
  'the curl command for $name works',
  async ({ call, says }) => {
    expect(await run(commandFor(call))).toMatch(says);
  },
);
