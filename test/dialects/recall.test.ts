import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { A2AError } from '../../src/core/model/errors.ts';
import type { Store } from '../../src/core/ports/store.ts';
import { createStore } from '../../src/stores/index.ts';
import { newFolder } from '../support/folders.ts';
import { openGateway } from '../support/gateway.ts';
import { afterTest } from '../support/peer.ts';

/** Requests that do not say their dialect are answered in the one in which their caller last used the task. */

const folder = newFolder();

interface Answer {
  readonly status: number;
  readonly version: string | null;
  readonly result?: Readonly<Record<string, unknown>>;
  readonly error?: { readonly code: number; readonly message: string };
}

interface Running {
  rpc(path: string, method: string, params: object, id?: unknown): Promise<Answer>;
  close(): Promise<void>;
}

async function start(store: Store): Promise<Running> {
  const text = 'listen: { host: localhost, port: 0 }\nstore: "memory:"\nagents: { demo: { kind: reference } }\n';
  const { gateway, url } = await openGateway(text, { store });
  let open = true;
  const close = async (): Promise<void> => {
    if (open) await gateway.close({ drainMs: 0 });
    open = false;
  };
  afterTest(close);
  return {
    close,
    async rpc(path, method, params, id = 1) {
      const headers = { 'content-type': 'application/json' };
      const body = JSON.stringify({ jsonrpc: '2.0', id, method, params });
      const response = await fetch(`${url}/demo${path}`, { method: 'POST', headers, body });
      const { result, error } = (await response.json()) as Answer;
      const version = response.headers.get('a2a-version');
      return { status: response.status, version, ...(result && { result }), ...(error && { error }) };
    },
  };
}

const memory = (): Store => createStore('memory:', { instance: 'test' });

const message = { role: 'user', parts: [{ type: 'text', text: 'ask' }] };

/** Makes a task in each dialect, on its own path; resolves with the task's id. */
const makers: Record<string, (gateway: Running) => Promise<string>> = {
  'a2a-0.1': async ({ rpc }) => {
    const { result } = await rpc('/as/a2a-0.1', 'tasks/send', { id: 'task-1', message });
    return result?.id as string;
  },
  'a2a-0.2': ({ rpc }) => sendMessage(rpc, 'a2a-0.2'),
  'a2a-0.3': ({ rpc }) => sendMessage(rpc, 'a2a-0.3'),
  'agentvault-0.2': async ({ rpc }) => {
    const parts = [{ type: 'text', content: 'ask' }];
    const { result } = await rpc('/as/agentvault-0.2', 'tasks/send', { message: { role: 'user', parts } });
    return result?.id as string;
  },
  'a2a-1.0': async ({ rpc }) => {
    const v1 = { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'ask' }] };
    const { result } = await rpc('/as/a2a-1.0', 'SendMessage', { message: v1 });
    return (result as { task: { id: string } }).task.id;
  },
};

const make = (dialect: string, gateway: Running): Promise<string> => makers[dialect]?.(gateway) ?? expect.fail();

async function sendMessage(rpc: Running['rpc'], dialect: string): Promise<string> {
  const old = { kind: 'message', messageId: 'm', role: 'user', parts: [{ kind: 'text', text: 'ask' }] };
  const { result } = await rpc(`/as/${dialect}`, 'message/send', { message: old });
  return result?.id as string;
}

/** The dialect of a task, by what only it has. 0.2 and 0.3 differ in the header alone. */
function dialectOf({ result, version }: Answer): string {
  if (!result) return 'none';
  if ('state' in result) return 'agentvault-0.2';
  if (result.kind !== 'task') return 'a2a-0.1';
  return version === '0.3' ? 'a2a-0.3' : 'a2a-0.2';
}

const legacy = Object.keys(makers).filter((name) => name !== 'a2a-1.0');

test.each(legacy)(
  'a tasks/get request whose dialect cannot be detected is answered in %s, in which the task was created',
  async (dialect) => {
    const gateway = await start(memory());
    const id = await make(dialect, gateway);
    expect(dialectOf(await gateway.rpc('', 'tasks/get', { id }))).toBe(dialect);
  },
);

test('a tasks/get request whose dialect cannot be detected is answered in 0.3 for a task of 1.0 and for an unknown task', async () => {
  const gateway = await start(memory());
  const id = await make('a2a-1.0', gateway);
  expect(dialectOf(await gateway.rpc('', 'tasks/get', { id }))).toBe('a2a-0.3');
  const unknown = await gateway.rpc('', 'tasks/get', { id: 'nowhere' });
  expect(unknown).toMatchObject({ status: 200, version: '0.3', error: { code: -32001 } });
  // AgentVault's own client gives its requests away, where the task does not.
  const vault = await gateway.rpc('', 'tasks/get', { id: 'nowhere' }, 'req-get-1');
  expect(vault).toMatchObject({ version: null, error: { code: -32001 } });
});

test('a tasks/get request whose dialect cannot be detected is answered in the dialect that the caller used last, except 1.0', async () => {
  const gateway = await start(memory());
  const id = await make('a2a-1.0', gateway);
  for (const dialect of [...legacy, ...legacy.toReversed()]) {
    expect(dialectOf(await gateway.rpc(`/as/${dialect}`, 'tasks/get', { id }))).toBe(dialect);
    await gateway.rpc('/as/a2a-1.0', 'GetTask', { id });
    for (let i = 0; i < 2; i += 1) expect(dialectOf(await gateway.rpc('', 'tasks/get', { id }))).toBe(dialect);
  }
  await gateway.rpc('/as/a2a-0.1', 'tasks/get', { id });
  expect(dialectOf(await gateway.rpc('', 'tasks/cancel', { id }))).toBe('a2a-0.1');
  const refused = await gateway.rpc('', 'tasks/cancel', { id });
  expect(refused).toMatchObject({ status: 200, version: null, error: { code: -32002 } });
});

test('a tasks/get request whose dialect cannot be detected is answered in the same dialect by another replica and after a restart', async () => {
  const url = `sqlite:${join(folder, 'gateway.db')}`;
  const [one, two] = [
    await start(createStore(url, { instance: 'one' })),
    await start(createStore(url, { instance: 'two' })),
  ];
  const id = await make('a2a-0.1', one);
  expect(dialectOf(await two.rpc('', 'tasks/get', { id }))).toBe('a2a-0.1');
  await two.rpc('/as/agentvault-0.2', 'tasks/get', { id });
  // Written behind the answer's back.
  await vi.waitFor(async () => expect(dialectOf(await one.rpc('', 'tasks/get', { id }))).toBe('agentvault-0.2'));
  await Promise.all([one.close(), two.close()]);
  const three = await start(createStore(url, { instance: 'three' }));
  expect(dialectOf(await three.rpc('', 'tasks/get', { id }))).toBe('agentvault-0.2');
});

test('a tasks/get request whose dialect cannot be detected is refused while the store is unreachable', async () => {
  const store = memory();
  // The gateway takes hold of the store's methods when it is made.
  const lastUse = vi.spyOn(store, 'lastUse');
  const gateway = await start(store);
  const id = await make('a2a-0.1', gateway);
  lastUse.mockRejectedValueOnce(new A2AError('unavailable'));
  expect(await gateway.rpc('', 'tasks/get', { id })).toMatchObject({ status: 503, error: { code: -32000 } });
});
