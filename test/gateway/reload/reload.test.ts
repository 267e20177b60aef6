import { describe, expect, it } from 'vitest';
import { caller, keysOf, startReloading, taskIn } from './support.ts';

/** Another configuration counts while a gateway runs. */

const head = 'store: "memory:"\n';
const keyed = (lines: readonly string[]): string =>
  `${head}auth: { anonymous: false, apiKeys: [${lines.join(', ')}] }\nagents: { demo: { kind: reference } }\n`;

it('keys that are added count, and those that are removed do not: their streams end too', async () => {
  const { key, line } = keysOf('alice', 'bob', 'carol');
  const { url, reload, gateway } = await startReloading(keyed([line('alice'), line('bob')]));
  const [alice, bob, carol] = ['alice', 'bob', 'carol'].map((name) => caller(url, key(name)));
  const streams = await Promise.all([alice?.stream('wait'), bob?.stream('wait')]);
  await Promise.all(streams.map((stream) => stream?.until('WORKING')));
  expect((await carol?.send('hello'))?.status).toBe(401);

  const report = await reload(keyed([line('alice'), line('carol')]));
  expect(report).toMatchObject({ ended: 1, restart: [], agents: { added: [], changed: [], removed: [] } });
  expect((await carol?.send('hello'))?.status).toBe(200);
  expect((await bob?.send('hello'))?.status).toBe(401);
  const [kept, ended] = streams;
  expect(await ended?.over).toContain('UNAUTHENTICATED');
  // The task itself goes on.
  const id = taskIn(kept?.text() ?? '');
  expect((await alice?.get(`/tasks/${id}`))?.status).toBe(200);
  await alice?.post(`/tasks/${id}:cancel`, {});
  expect(await kept?.over).toContain('TASK_STATE_CANCELED');
  await gateway.close({ drainMs: 0 });
});

it('streams of keys whose holders may do less end if they are no longer allowed, and no other streams', async () => {
  const { key, line } = keysOf('alice');
  const two = (more: string): string =>
    `${head}auth: { anonymous: false, apiKeys: [${line('alice', more)}] }\nagents: { one: { kind: reference }, two: { kind: reference } }\n`;
  const { url, reload } = await startReloading(two(''));
  const { stream, send, post } = caller(url, key('alice'));
  const [one, other] = await Promise.all([stream('wait', '/one'), stream('wait', '/two')]);
  await Promise.all([one.until('WORKING'), other.until('WORKING')]);
  expect((await reload(two(', agents: [one]'))).ended).toBe(1);
  expect(await other.over).toContain('PERMISSION_DENIED');
  expect((await send('hello', '/two')).status).toBe(403);
  expect((await reload(two(', agents: [one, two]'))).ended).toBe(0);
  expect((await send('hello', '/two')).status).toBe(200);
  await post(`/one/tasks/${taskIn(one.text())}:cancel`, {});
  expect(await one.over).toContain('TASK_STATE_CANCELED');
});

it('keys of others do not affect an anonymous caller, until authentication is required', async () => {
  const open = `${head}agents: { demo: { kind: reference } }\n`;
  const { line, key } = keysOf('alice');
  const { url, reload } = await startReloading(open);
  const anonymous = caller(url);
  const stream = await anonymous.stream('wait');
  await stream.until('WORKING');
  expect((await reload(`${open}log: { level: debug }\n`)).ended).toBe(0);
  expect((await reload(keyed([line('alice')]))).ended).toBe(1);
  expect(await stream.over).toContain('UNAUTHENTICATED');
  expect((await anonymous.send('hello')).status).toBe(401);
  expect((await caller(url, key('alice')).send('hello')).status).toBe(200);
});

const module = (said: string): string => `
let closed = false;
export default {
  card: {
    name: '${said}', description: 'says ${said}', version: '1', capabilities: { streaming: true },
    defaultInputModes: ['text/plain'], defaultOutputModes: ['text/plain'], skills: [],
  },
  async *execute(request, context) {
    const [{ text }] = request.message.parts;
    if (text === 'wait') {
      yield { statusUpdate: { status: { state: 'TASK_STATE_WORKING' } } };
      await new Promise((resolve) => setTimeout(resolve, 300));
    }
    const said = closed ? 'closed' : '${said}';
    yield { artifactUpdate: { artifact: { artifactId: 'a', parts: [{ text: said }] } } };
  },
  async close() { closed = true; },
};
`;

describe('agents', () => {
  const mine = (more = ''): string =>
    `${head}defaultAgent: mine\nagents:\n  mine: { kind: module, path: ./agent.mjs }\n${more}`;

  it('agents are added, removed and changed, and others stay as they are', async () => {
    const { url, reload, write, lines } = await startReloading(mine('  demo: { kind: reference }\n'), {
      files: { 'agent.mjs': module('one') },
    });
    const { get, send, stream } = caller(url);
    const names = async (): Promise<string[]> =>
      ((await (await get('/agents')).json()) as { agents: { name: string }[] }).agents.map(({ name }) => name);
    const etag = async (): Promise<string | null> => (await get('/.well-known/agent-card.json')).headers.get('etag');
    const before = await etag();
    expect(await (await send('hello')).text()).toContain('"text":"one"');

    expect((await reload(mine('  more: { kind: reference }\n'))).agents).toEqual({
      added: ['more'],
      changed: [],
      removed: ['demo'],
    });
    expect(await names()).toEqual(['mine', 'more']);
    expect((await send('hello', '/demo')).status).toBe(404);
    expect((await send('hello', '/more')).status).toBe(200);
    expect(await etag()).toBe(before);

    // A run finishes with the agent that it began with, which is closed afterwards only.
    const running = await stream('wait');
    await running.until('WORKING');
    write('agent.mjs', module('another'));
    expect((await reload(mine('  more: { kind: reference }\n'))).agents).toMatchObject({ changed: ['mine'] });
    expect(await (await send('hello')).text()).toContain('"text":"another"');
    expect(await etag()).not.toBe(before);
    expect(await running.over).toContain('"text":"one"');
    expect(lines.filter(({ level }) => level === 'error')).toEqual([]);
  });

  it('agents of the program itself stay', async () => {
    const own = {
      ...(await import('../../../src/agents/reference.ts')).createReferenceAgent(),
    };
    const { url, reload } = await startReloading(`${head}agents: { demo: { kind: reference } }\n`, {
      agents: { own: Object.setPrototypeOf(own, null) },
    });
    await reload(`${head}agents: { other: { kind: reference } }\n`);
    const { agents } = (await (await caller(url).get('/agents')).json()) as { agents: { name: string }[] };
    expect(agents.map(({ name }) => name)).toEqual(['other', 'own']);
  });
});

describe('limits', () => {
  const limits = (text: string): string => `${head}limits: { ${text} }\nagents: { demo: { kind: reference } }\n`;

  it('limits count for what begins from then on', async () => {
    const { url, reload, gateway } = await startReloading(limits('body: 1MiB'));
    const { send, stream } = caller(url);
    const long = 'x'.repeat(5_000);
    expect((await send(long)).status).toBe(200);
    const open = await Promise.all([stream('wait'), stream('wait')]);
    await Promise.all(open.map((one) => one.until('WORKING')));

    await reload(limits('body: 2KiB, streams: 2'));
    expect((await send(long)).status).toBe(413);
    // Streams that were open before the reload count, too.
    expect((await stream('wait')).status).toBe(429);
    await reload(limits('streams: 3, requestsPerMinute: 3'));
    const third = await stream('wait');
    expect(third.status).toBe(200);
    expect([(await send('a')).status, (await send('b')).status, (await send('c')).status]).toEqual([200, 200, 429]);
    await reload(limits('streams: unlimited'));
    expect((await send(long)).status).toBe(200);
    for (const one of [...open, third]) expect(one.text()).not.toContain('error');
    await gateway.close({ drainMs: 0 });
  });
});

it('what takes a restart is named, and stays as it is', async () => {
  const text = (more: string): string => `store: "memory:"\nagents: { demo: { kind: reference } }\n${more}`;
  const { reload, lines } = await startReloading(text(''));
  const { restart } = await reload(text('durability: full\nlimits: { headers: 32KiB, answer: 10s }\n'));
  expect(restart).toEqual(['durability', 'limits.headers']);
  expect(lines.filter(({ level }) => level === 'warn')).toEqual([
    { level: 'warn', fields: { restart }, message: 'some changed settings take effect after a restart' },
  ]);
  expect((await reload(text(''))).restart).toEqual([]);
});

it('one reload comes after the other, and the last one counts', async () => {
  const text = (name: string): string => `${head}agents: { ${name}: { kind: reference } }\n`;
  const { url, reload } = await startReloading(text('first'));
  const reports = await Promise.all(['second', 'third', 'fourth'].map((name) => reload(text(name))));
  expect(reports.length).toBe(3);
  const { agents } = (await (await caller(url).get('/agents')).json()) as { agents: { name: string }[] };
  expect(agents.map(({ name }) => name)).toEqual(['fourth']);
});
