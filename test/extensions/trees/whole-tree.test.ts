import { createServer, request } from 'node:http';
import { describe, expect, it } from 'vitest';
import type { TaskStatusUpdateEvent } from '../../../src/core/model/a2a.ts';
import { pathHeader } from '../../../src/core/model/call.ts';
import { parentKey } from '../../../src/core/model/lineage.ts';
import { treePath } from '../../../src/extensions/trees/page.ts';
import { signPath, signQuestion } from '../../../src/extensions/trees/path.ts';
import type { TaskSummary } from '../../../src/gen/admin-v1/types.ts';
import { artifact, defineAgent, progress } from '../../../src/index.ts';
import { askAdmin, callsOf } from '../../support/admin.ts';
import { type Opened, openGateway } from '../../support/gateway.ts';
import { listenOn } from '../../support/peer.ts';

/** A tree of calls over gateways, as operators see it at one of them. */

const key = 'a key that all gateways have, and nobody else';
const root = (gateway: string, more = ''): string =>
  `limits: { root: { gateway: ${gateway}, keys: ["${key}"], cost: 100 } }\n${more}`;
const upstream = (name: string, url: string): string =>
  `  ${name}: { kind: upstream, url: "${url}", dialect: a2a-1.0, transport: jsonrpc, path: true }\n`;

const payer = defineAgent({
  name: 'Payer',
  description: 'Costs something, and fails where it has to',
  async *execute({ text }) {
    const { statusUpdate } = progress('paid');
    yield { statusUpdate: { ...(statusUpdate as TaskStatusUpdateEvent), metadata: { usage: { cost: 2 } } } };
    if (text === 'fail') throw new Error('no money left');
    yield artifact({ content: 'done' });
  },
});

/** Sends a text to an agent. Resolves with the key of its task. */
async function send(url: string, agent: string, text: string, more: object = {}): Promise<string> {
  const message = { messageId: crypto.randomUUID(), role: 'ROLE_USER', parts: [{ text }], ...more };
  const { task } = await callsOf(url).post<{ task: { id: string } }>(`/${agent}/message:send`, { message });
  return task.id;
}

const treeAt = (url: string, of: string) => askAdmin(url, 'FindTasks', { root: of, gateways: true });
const shown = (tasks: readonly TaskSummary[] = []) =>
  tasks.map(({ gateway = '', agent, state }) => `${gateway}/${agent} ${state.slice(11)}`).sort();

it('a tree over gateways has the tasks of all gateways below, each with its state, its reason, its cost and the task that opened it', async () => {
  const far = await openGateway(root('far'), { agents: { payer } });
  const middle = await openGateway(root('middle', `agents:\n${upstream('bridge', `${far.url}/payer`)}`));
  const near = await openGateway(root('near', `agents:\n${upstream('first', `${middle.url}/bridge`)}`));
  const paid = await send(near.url, 'first', 'pay');
  const { tasks = [], missing } = await treeAt(near.url, paid);
  expect(missing).toEqual([]);
  expect(shown(tasks)).toEqual(['/first COMPLETED', 'far/payer COMPLETED', 'middle/bridge COMPLETED']);
  const byAgent = new Map(tasks.map((task) => [task.agent, task]));
  const [first, bridge, last] = ['first', 'bridge', 'payer'].map((agent) => byAgent.get(agent));
  expect(first).toMatchObject({ key: paid, parent: '' });
  expect(bridge).toMatchObject({ key: `middle/${bridge?.id}`, parent: paid });
  expect(last).toMatchObject({ key: `far/${last?.id}`, parent: bridge?.key, root: paid });
  const costs = async () => new Map((await treeAt(near.url, paid)).tasks?.map(({ agent, cost }) => [agent, cost]));
  await expect.poll(costs).toEqual(new Map(Object.entries({ first: 2, bridge: 2, payer: 2 })));

  const failed = await send(near.url, 'first', 'fail');
  const { tasks: all = [] } = await treeAt(near.url, failed);
  expect(all.map(({ state }) => state)).toEqual(Array(3).fill('TASK_STATE_FAILED'));
  expect(all.find(({ agent }) => agent === 'payer')?.reason).toContain('no money left');
  // From the middle, what is below is known.
  expect(shown((await treeAt(middle.url, failed)).tasks)).toEqual(['/bridge FAILED', 'far/payer FAILED']);
});

it('a tree over gateways goes over MCP', async () => {
  const far = await openGateway(root('far'), { agents: { payer } });
  const servers = `{ far: { url: "${far.url}/mcp", path: true } }`;
  const near = await openGateway(root('near', `agents:\n  tools: { kind: mcp, servers: ${servers} }\n`));
  const data = {
    target_mcp_server_id: 'far',
    tool_name: 'send_message',
    arguments: { agent: 'payer', message: 'go' },
  };
  const task = await send(near.url, 'tools', '', { parts: [{ data }] });
  expect(shown((await treeAt(near.url, task)).tasks)).toEqual(['/tools COMPLETED', 'far/payer COMPLETED']);
});

it('a tree over gateways is whole where a caller has chosen the id of its first task', async () => {
  const far = await openGateway(root('far'), { agents: { payer } });
  const near = await openGateway(root('near', `agents:\n${upstream('first', `${far.url}/payer`)}`));
  const params = { id: 'mine', message: { role: 'user', parts: [{ type: 'text', text: 'pay' }] } };
  const request = { jsonrpc: '2.0', id: 1, method: 'tasks/send', params };
  await callsOf(near.url).post('/first/as/a2a-0.1', request);
  const { tasks: own = [] } = await askAdmin(near.url, 'FindTasks', { id: 'mine' });
  expect(shown((await treeAt(near.url, own[0]?.key ?? '')).tasks)).toEqual(['/first COMPLETED', 'far/payer COMPLETED']);
});

it('a tree over gateways says what is not known of a gateway that is away, or has other keys', async () => {
  const far = await openGateway(root('far'), { agents: { payer } });
  const near = await openGateway(root('near', `agents:\n${upstream('first', `${far.url}/payer`)}`));
  const paid = await send(near.url, 'first', 'pay');
  await far.close();
  const { tasks, missing } = await treeAt(near.url, paid);
  expect(shown(tasks)).toEqual(['/first COMPLETED']);
  expect(missing).toEqual([expect.stringMatching(/^What first at near led to: cannot reach /)]);

  const other = await openGateway(root('other').replace(key, 'x'.repeat(40)), { agents: { payer } });
  const asking = await openGateway(root('near', `agents:\n${upstream('first', `${other.url}/payer`)}`));
  const alone = await send(asking.url, 'first', 'pay');
  expect((await treeAt(asking.url, alone)).missing).toEqual([
    'What first at near led to: the gateway behind it does not answer',
  ]);
});

it('a tree over gateways has the part of a gateway that a proxy has below a path', async () => {
  let far: Opened | undefined;
  const asked: string[] = [];
  const proxy = createServer((req, res) => {
    const { method, headers, url = '' } = req;
    if (url.includes('/.well-known/a2a-gateway-')) asked.push(url);
    if (!url.startsWith('/below/here/')) return res.writeHead(200, { 'content-type': 'text/html' }).end('Welcome');
    const path = url.slice('/below/here'.length);
    const passed = request({ host: 'localhost', port: far?.port, path, method, headers }, (answer) => {
      res.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(res);
    });
    passed.once('error', () => res.destroy());
    return req.pipe(passed);
  });
  const address = `http://127.0.0.1:${(await listenOn(proxy)).port}/below/here`;
  const listen = `listen: { host: localhost, port: 0, publicUrl: "${address}" }\nauth: { anonymous: true }\n`;
  far = await openGateway(root('far', listen), { agents: { payer } });
  const near = await openGateway(root('near', `agents:\n${upstream('first', `${address}/payer`)}`));
  const paid = await send(near.url, 'first', 'pay');
  const expected = ['/first COMPLETED', 'far/payer COMPLETED'];
  expect(shown((await treeAt(near.url, paid)).tasks)).toEqual(expected);
  const places = (found: readonly string[]) => found.map((url) => url.slice(0, url.indexOf('/.well-known')));
  expect(new Set(places(asked))).toEqual(new Set(['', '/below', '/below/here']));
  // The replica of the tree is known now, so no other one is asked.
  asked.length = 0;
  expect(shown((await treeAt(near.url, paid)).tasks)).toEqual(expected);
  expect(new Set(places(asked))).toEqual(new Set(['/below/here']));
});

it('a tree over gateways is asked for by its root alone', async () => {
  const { url } = await openGateway(root('near'), { agents: { payer } });
  await expect(askAdmin(url, 'FindTasks', { gateways: true })).rejects.toThrow(/root: is needed with gateways/);
  await expect(askAdmin(url, 'FindTasks', { gateways: true, root: 'r', agent: 'payer' })).rejects.toThrow(
    /agent: cannot be used with gateways/,
  );
});

describe('a stop of a tree over gateways', () => {
  /** Ends while a question that it has led to is open. */
  const boss = defineAgent({
    name: 'Boss',
    description: 'Has another agent ask',
    async *execute({ agent }) {
      await agent('demo').send('ask');
      yield artifact({ content: 'done' });
    },
  });

  async function chain() {
    const far = await openGateway(root('far', 'agents: { demo: { kind: reference } }\n'), { agents: { boss } });
    const middle = await openGateway(root('middle', `agents:\n${upstream('bridge', `${far.url}/boss`)}`));
    const near = await openGateway(root('near', `agents:\n${upstream('first', `${middle.url}/bridge`)}`));
    const task = await send(near.url, 'first', 'go');
    return { far, middle, near, task };
  }

  const operate = (url: string, operation: 'StopRoot' | 'ResumeRoot', task: string) =>
    askAdmin(url, operation, { key: task, ...(operation === 'StopRoot' && { reason: 'enough' }) } as never);
  const stopsAt = async (url: string) => (await askAdmin(url, 'ListStops', {})).stops ?? [];

  it('a stop of a tree over gateways ends what other gateways have of it, with the reason, also where nothing waits for that', async () => {
    const { far, middle, near, task } = await chain();
    expect(shown((await treeAt(near.url, task)).tasks)).toContain('far/demo INPUT_REQUIRED');
    expect(await operate(near.url, 'StopRoot', task)).toMatchObject({ subject: task, missing: [] });
    const demo = async () => (await treeAt(near.url, task)).tasks?.find(({ agent }) => agent === 'demo');
    await expect.poll(demo).toMatchObject({ state: 'TASK_STATE_CANCELED', reason: expect.stringContaining('enough') });
    for (const { url } of [far, middle])
      expect(await stopsAt(url)).toMatchObject([{ subject: task, stoppedBy: 'near/admin-key', reason: 'enough' }]);
    expect(await (await fetch(`${far.url}/metrics`)).text()).toMatch(/event="admin.action"} 1$/m);

    expect(await operate(near.url, 'ResumeRoot', task)).toMatchObject({ missing: [] });
    for (const { url } of [far, middle, near]) expect(await stopsAt(url)).toEqual([]);
  });

  it('a stop of a tree over gateways is in force here where a gateway is away, which is named', async () => {
    const { far, middle, near, task } = await chain();
    await far.close();
    const missing = [expect.stringMatching(/^What bridge at middle led to: cannot reach /)];
    expect(await operate(near.url, 'StopRoot', task)).toMatchObject({ missing });
    for (const { url } of [middle, near]) expect(await stopsAt(url)).toMatchObject([{ subject: task }]);
    expect(await operate(near.url, 'ResumeRoot', task)).toMatchObject({ missing });
    for (const { url } of [middle, near]) expect(await stopsAt(url)).toEqual([]);
  });

  it('a stop of a tree over gateways reaches no gateway that has nothing of it', async () => {
    const far = await openGateway(root('far'), { agents: { payer } });
    const both = upstream('first', `${far.url}/payer`) + upstream('second', `${far.url}/payer`);
    const near = await openGateway(root('near', `agents:\n${both}`));
    const [one, other] = [await send(near.url, 'first', 'pay'), await send(near.url, 'second', 'pay')];
    await operate(near.url, 'StopRoot', one);
    expect((await stopsAt(far.url)).map(({ subject }) => subject)).toEqual([one]);
    await operate(near.url, 'StopRoot', other);
    expect((await stopsAt(far.url)).map(({ subject }) => subject).sort()).toEqual([one, other].sort());
  });
});

describe('a question of another gateway', () => {
  const ask = async (url: string, signed: string | undefined, method = 'POST'): Promise<[number, unknown]> => {
    const headers = { ...(signed !== undefined && { [pathHeader]: signed }) };
    const response = await fetch(`${url}${treePath}`, { method, headers });
    return [response.status, await response.json().catch(() => undefined)];
  };
  const question = (of: string, asked: readonly string[] = ['other'], left = 1_000, at = Date.now(), by = key) =>
    signQuestion({ root: of, asked, left }, by, at);

  it('a question of another gateway is answered only where it is signed, fresh, and a question', async () => {
    const { url } = await openGateway(root('near'), { agents: { payer } });
    const paid = await send(url, 'payer', 'pay');
    const [status, answer] = await ask(url, question(paid));
    expect([status, answer]).toMatchObject([200, { tasks: [{ agent: 'payer', gateway: 'near', key: paid }] }]);
    const refused = [
      undefined,
      'x',
      question(paid, ['other'], 1_000, Date.now(), 'y'.repeat(40)),
      question(paid, ['other'], 1_000, Date.now() - 3_600_000),
      question(paid, ['other'], 1_000, Date.now() + 3_600_000),
      question(paid).replace(/..$/, (end) => (end === 'AA' ? 'QQ' : 'AA')),
      signPath({ root: paid, steps: [{ gateway: 'g', agent: 'a', task: 't' }] }, key, Date.now()),
      ...[{}, { by: '' }, { by: 'x', reason: '' }, { by: 'x', reason: 'x'.repeat(2_000) }, 'x', null].map((stop) =>
        signQuestion({ root: paid, asked: ['other'], left: 1_000, stop: stop as never }, key, Date.now()),
      ),
    ];
    for (const signed of refused) expect(await ask(url, signed)).toEqual([404, {}]);
    expect((await askAdmin(url, 'ListStops', {})).stops ?? []).toEqual([]);
    expect((await ask(url, question(paid), 'GET'))[0]).toBe(404);
  });

  it('a question of another gateway opens nothing else than the page, and a path opens no other', async () => {
    const { url } = await openGateway(root('near'), { agents: { payer } });
    const message = { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'pay' }] };
    const headers = { 'content-type': 'application/json', 'a2a-version': '1.0', [pathHeader]: question('r') };
    const init = { method: 'POST', headers, body: JSON.stringify({ message }) };
    const { task } = (await (await fetch(`${url}/payer/message:send`, init)).json()) as { task: { metadata?: object } };
    expect(task.metadata ?? {}).not.toHaveProperty(parentKey);
  });

  it('a question of another gateway ends where a gateway has been asked already, and where there is no time left', async () => {
    const far = await openGateway(root('far'), { agents: { payer } });
    const near = await openGateway(root('near', `agents:\n${upstream('first', `${far.url}/payer`)}`));
    const paid = await send(near.url, 'first', 'pay');
    expect(await ask(near.url, question(paid, ['other', 'near']))).toEqual([200, {}]);
    const [, answer] = await ask(near.url, question(paid, ['other'], 100));
    expect(answer).toMatchObject({ missing: [expect.stringContaining('the time for the answer is over')] });
    const many = Array.from({ length: 9 }, (_, at) => `g${at}`);
    expect((await ask(near.url, question(paid, many)))[1]).toMatchObject({
      missing: [expect.stringContaining('more than 8 gateways in a row')],
    });
  });
});
