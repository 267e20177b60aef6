import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newKey } from '../../../src/auth/hash.ts';
import { connect } from '../../../src/client/index.ts';
import type { CallState } from '../../../src/extensions/mcp/server/asking.ts';
import { sealedTokens } from '../../../src/net/credentials/sealed-tokens.ts';
import { createStore } from '../../../src/stores/index.ts';
import { silent } from '../../support/core.ts';
import { newFolder } from '../../support/folders.ts';
import { openGateway, type Running } from '../../support/gateway.ts';
import { afterTest } from '../../support/peer.ts';
import { startModern } from '../../support/tools/modern-server.ts';
import { type Answered, type Asked, askedClient, eras } from './asking-clients.ts';

/** Clients of both eras of MCP on the official SDK, which are asked what agents ask. */

const main = fileURLToPath(new URL('../../../src/cli/main.ts', import.meta.url));
const asker = fileURLToPath(new URL('./agents/form-asker.ts', import.meta.url));
const [alice, bob] = [newKey(), newKey()];
const as = ({ key }: { key: string }) => ({ headers: { 'X-API-Key': key } });
const folder = newFolder();
let store: string;
let tools: Awaited<ReturnType<typeof startModern>>;
let gateway: Running;
const open = () =>
  openGateway(
    JSON.stringify({
      listen: { host: 'localhost', port: 0 },
      store,
      agents: {
        asker: { kind: 'module', path: asker },
        tools: { kind: 'mcp', servers: { modern: { url: tools.url } } },
      },
      auth: {
        anonymous: false,
        apiKeys: [
          { name: 'alice', hash: alice.hash },
          { name: 'bob', hash: bob.hash },
        ],
      },
    }),
  );
beforeAll(async () => {
  store = `sqlite:${join(folder, 'tasks.db')}`;
  tools = await startModern();
  gateway = await open();
});
afterAll(async () => {
  await gateway?.close();
  await tools?.close();
});

const accept = (content: NonNullable<Answered['content']>): Answered => ({ action: 'accept', content });
const at = (agent: string, origin = gateway.origin): string => `${origin}/${agent}/mcp`;

describe.each(eras)('a client of MCP %s', (era) => {
  const client = (agent: string, answer: (asked: Asked) => Answered | Promise<Answered>) =>
    askedClient(era, at(agent), answer, as(alice));

  it(`a client of MCP ${era} gets the form of a question, and the result of the call`, async () => {
    const { call, asked } = await client('asker', () => accept({ city: 'Oslo', days: 3 }));
    const { structured } = await call('send_message', { message: 'trip' });
    expect(structured).toMatchObject({ state: 'completed', text: '{"city":"Oslo","days":3}' });
    expect(asked).toEqual([
      expect.objectContaining({
        message: 'Where, and how long?',
        requestedSchema: expect.objectContaining({ required: ['city', 'days'] }),
      }),
    ]);
  });

  it(`a client of MCP ${era} is asked for a line where the agent asks for anything`, async () => {
    const { call } = await client('asker', () => accept({ answer: 'so' }));
    expect((await call('send_message', { message: 'word' })).structured.text).toBe('"so"');
  });

  it(`a client of MCP ${era} is asked again for an answer that the schema forbids, with the field`, async () => {
    const { call, asked } = await client('asker', () => accept({ city: 'Oslo', days: asked.length - 1 }));
    expect((await call('send_message', { message: 'trip' })).structured.text).toBe('{"city":"Oslo","days":1}');
    expect(asked[1]?.message).toBe('answer.days must be >= 1\nWhere, and how long?');
  });

  it.each(['decline', 'cancel'] as const)(`a client of MCP ${era} may %s, which the agent learns`, async (action) => {
    const { call } = await client('asker', () => ({ action }));
    expect((await call('send_message', { message: 'trip' })).structured.text).toBe(`{"action":"${action}"}`);
  });

  it(`a client of MCP ${era} is asked to visit a URL`, async () => {
    const { call, asked } = await client('asker', () => ({ action: 'accept' }));
    expect((await call('send_message', { message: 'login' })).structured.text).toBe('{"action":"accept"}');
    expect(asked).toEqual([expect.objectContaining({ mode: 'url', url: 'https://example.com/in' })]);
  });

  it(`a client of MCP ${era} is asked for each form of a tool that asks for several, and gets the result of the tool`, async () => {
    const { call, asked } = await client('tools', ({ message }) =>
      accept(message === 'Who?' ? { name: 'Ada' } : { age: 36 }),
    );
    const { result } = await call('modern_book');
    const who = { action: 'accept', content: { name: 'Ada' } };
    expect(JSON.parse(result.content[0]?.type === 'text' ? result.content[0].text : '')).toEqual({
      who,
      age: { action: 'accept', content: { age: 36 } },
      state: 'opaque',
    });
    expect(asked.map(({ message }) => message).sort()).toEqual(['How old?', 'Who?']);
  });

  it(`a client of MCP ${era} continues with get_task`, async () => {
    const { call } = await client('asker', () => accept({ answer: 'late' }));
    const { task } = await (await connect(`${gateway.origin}/asker`, as(alice))).send('word');
    expect((await call('get_task', { task_id: task?.id })).structured.text).toBe('"late"');
  });

  it(`a client of MCP ${era} learns who answered before it`, async () => {
    const owner = await connect(`${gateway.origin}/asker`, as(alice));
    const other = await askedClient('2026-07-28', at('asker'), () => accept({ answer: 'first' }), as(alice));
    const { call } = await client('asker', async () => {
      const { tasks } = await owner.listTasks({ status: 'TASK_STATE_INPUT_REQUIRED' });
      await other.call('get_task', { task_id: tasks?.[0]?.id });
      return accept({ answer: 'second' });
    });
    const { text, structured } = await call('send_message', { message: 'word' });
    expect(structured).toMatchObject({ state: 'completed', text: '"first"' });
    expect(text).toMatch(/^\[The question has been answered, by .*alice\]/);
  });

  it(`a client of MCP ${era} that takes no elicitation gets the question as a result`, async () => {
    const { call } = await askedClient(era, at('asker'), () => expect.fail(), {
      ...as(alice),
      elicitation: { url: {} },
    });
    const { structured, text } = await call('send_message', { message: 'word' });
    expect(structured).toMatchObject({ state: 'input-required', text: 'Which word?' });
    expect(text).toContain('call send_message with');
  });
});

describe('a client of MCP 2025-11-25', () => {
  const ask = async (answer: () => Answered) => {
    const { call, asked } = await askedClient('2025-11-25', at('asker'), answer, as(alice));
    const { structured } = await call('send_message', { message: 'again' });
    return { structured, asked };
  };

  it('a client of MCP 2025-11-25 that refuses the request gets the question as a result', async () => {
    const { structured, asked } = await ask(() => {
      throw new Error('no window');
    });
    expect(structured).toMatchObject({ state: 'input-required', text: 'Again?' });
    expect(asked).toHaveLength(1);
  });

  it('a client of MCP 2025-11-25 learns that its task was canceled while it was asked', async () => {
    const owner = await connect(`${gateway.origin}/asker`, as(alice));
    const { call } = await askedClient(
      '2025-11-25',
      at('asker'),
      async () => {
        const { tasks } = await owner.listTasks({ status: 'TASK_STATE_INPUT_REQUIRED' });
        await owner.cancelTask({ id: tasks?.[0]?.id ?? '' });
        return new Promise(() => {});
      },
      as(alice),
    );
    const { structured, text } = await call('send_message', { message: 'word' });
    expect(structured.state).toBe('canceled');
    expect(text).toMatch(/^\[The question is no longer open\]/);
  });

  it('a client of MCP 2025-11-25 is asked twenty times by one call at the most', async () => {
    const { structured, asked } = await ask(() => accept({ answer: 'again' }));
    expect(structured).toMatchObject({ state: 'input-required', text: 'Again?' });
    expect(asked).toHaveLength(20);
  });
});

it.each(eras)('a client of %s of `a2a-gateway mcp` is asked too', async (era) => {
  const program = {
    command: process.execPath,
    args: [main, 'mcp', `${gateway.origin}/asker/as/a2a-0.1`],
    env: { A2A_API_KEY: alice.key },
    stderr: 'ignore' as const,
  };
  const { call } = await askedClient(era, program, () => accept({ answer: 'so' }));
  expect((await call('send_message', { message: 'word' })).structured).toMatchObject({
    state: 'completed',
    text: '"so"',
  });
});

describe('a requestState', () => {
  const manual = async (key = alice) => {
    const { client } = await askedClient('2026-07-28', at('asker'), () => expect.fail(), as(key));
    return (more: object = {}, name = 'send_message') =>
      client.callTool({ name, arguments: { message: 'word' }, ...more }, { allowInputRequired: true }) as Promise<
        Record<string, unknown>
      >;
  };
  const inputResponses = { answer: accept({ answer: 'so' }) };

  it('a requestState without all responses is asked for again', async () => {
    const call = await manual();
    const { requestState } = await call();
    const again = await call({ requestState, inputResponses: { other: accept({}) } });
    expect(again).toMatchObject({ resultType: 'input_required', inputRequests: { answer: {} } });
  });

  it('a requestState that was changed, is of another caller, of another tool, or has expired, is refused', async () => {
    const call = await manual();
    const state = (await call()).requestState as string;
    const code = -32602;
    await expect(call({ requestState: `${state}A`, inputResponses })).rejects.toMatchObject({ code });
    await expect((await manual(bob))({ requestState: state, inputResponses })).rejects.toMatchObject({ code });
    await expect(call({ requestState: state, inputResponses }, 'get_task')).rejects.toMatchObject({ code });
    const opened = createStore(store, { instance: 'test', logger: silent });
    await opened.open();
    afterTest(() => opened.close());
    const tokens = sealedTokens<CallState>(await opened.secret('mcp'), 'MCP request state');
    const expired = tokens.seal({ ...(tokens.open(state) as CallState), expires: Date.now() - 1 });
    await expect(call({ requestState: expired, inputResponses })).rejects.toMatchObject({ code });
    expect(await call({ requestState: state, inputResponses })).toMatchObject({ structuredContent: { text: '"so"' } });
  });

  // The last test: its gateway is closed with it.
  it('a requestState continues a call once, after a restart too', async () => {
    const { requestState, resultType } = await (await manual())();
    expect(resultType).toBe('input_required');
    await gateway.close();
    gateway = await open();
    const call = await manual();
    const more = { inputResponses, requestState };
    expect(await call(more)).toMatchObject({ structuredContent: { text: '"so"' } });
    expect(await call(more)).toMatchObject({
      content: [{ text: expect.stringContaining('The question has been answered') }, {}, {}],
    });
  });
});
