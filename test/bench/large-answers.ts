import { newKey } from '../../src/auth/hash.ts';
import { type Figure, type Measured, median, ratio, rounded, type Settings } from './part.ts';
import { params10, version10 } from './requests.ts';
import { ServerProcess } from './server-process.ts';
import type { LongTurn } from './servers/long-turn.ts';
import type { Waits } from './servers/small-caller.ts';

const mebibyte = 1_048_576;
const longText = (bytes: number): object => ({ text: 'words of a large task '.repeat(bytes / 22) });
const smallParts = (count: number): object[] =>
  Array.from({ length: count }, (_, i) => ({ data: { name: `value ${i}`, count: i, tags: ['a', 'b'] } }));

type Send = (body: object, headers?: Record<string, string>, path?: string) => Promise<Response>;

const call = (method: string, params: object): object => ({ jsonrpc: '2.0', id: 1, method, params });

const withParts = (parts: readonly object[]): object => {
  const { message } = params10('') as { message: object };
  return { message: { ...message, parts } };
};

/** Makes finished tasks whose messages have these parts. Resolves with the id of the last. */
async function makeTasks(send: Send, count: number, parts: readonly object[]): Promise<string> {
  let id = '';
  for (let i = 0; i < count; i += 1) {
    const answer = await (await send(call('SendMessage', withParts(parts)))).json();
    id = (answer as { result: { task: { id: string } } }).result.task.id;
  }
  return id;
}

/** A message to the agent of another gateway, whose answer is as large. */
const bridged = 'message of 9 MiB of text, bridged';

/** The request of one caller. Default headers: those of A2A 1.0. */
interface Asked {
  readonly body: object;
  readonly headers?: Record<string, string>;
  readonly path?: string;
}

/** By what one caller asks for: prepares a gateway, and returns the request. */
const operations: Readonly<Record<string, (send: Send) => Promise<Asked>>> = {
  'message of 9 MiB of text': async () => ({ body: call('SendMessage', withParts([longText(9 * mebibyte)])) }),
  [bridged]: async () => ({ body: call('SendMessage', withParts([longText(9 * mebibyte)])) }),
  'message of 100,000 parts': async () => ({ body: call('SendMessage', withParts(smallParts(100_000))) }),
  'task of 8 MiB in 60,000 parts': async (send) => ({
    body: call('GetTask', { id: await makeTasks(send, 1, smallParts(60_000)) }),
  }),
  'the same, its last message': async (send) => ({
    body: call('GetTask', { id: await makeTasks(send, 1, smallParts(60_000)), historyLength: 1 }),
  }),
  'the same, in 0.3': async (send) => ({
    body: call('tasks/get', { id: await makeTasks(send, 1, smallParts(60_000)) }),
    headers: {},
  }),
  'list of 30 tasks of 256 KiB, all of it': async (send) => {
    await makeTasks(send, 32, smallParts(1_900));
    return { body: call('ListTasks', { includeArtifacts: true }) };
  },
  'the same, without artifacts': async (send) => {
    await makeTasks(send, 32, smallParts(1_900));
    return { body: call('ListTasks', {}) };
  },
  'list of tasks of 9 MiB': async (send) => {
    await makeTasks(send, 3, [longText(4.5 * mebibyte)]);
    return { body: call('ListTasks', { includeArtifacts: true }) };
  },
  'knowledge of 4,000 statements': async (send) => {
    for (let from = 0; from < 4_000; from += 500) {
      const mutations = Array.from({ length: 500 }, (_, i) => ({ op: 'add', statement: statement(from + i) }));
      const answer = await send(call('knowledge/update', { mutations }));
      const text = await answer.text();
      if (!text.includes('result')) throw new Error(text.slice(0, 500));
    }
    const fields =
      '{ nodes { subject { id type } predicate { id } object { id value type } graph certainty timestamp } }';
    return {
      body: call('knowledge/query', { query: `{ statements(first: 1000) ${fields} }`, queryLanguage: 'graphql' }),
    };
  },
  'admin service, a page of 100 tasks with text': async (send) => {
    await makeTasks(send, 100, [longText(262_144)]);
    return { body: { pageSize: 100 }, headers: { 'X-Api-Key': key }, path: adminPath };
  },
};

const statement = (i: number): object => ({
  subject: { id: `https://example.org/${i}` },
  predicate: { id: 'https://schema.org/description' },
  object: { value: `${'a text of some length '.repeat(20)}${i}` },
  certainty: 0.9,
});

const { key, hash } = newKey();
const adminPath = '/a2agateway.admin.v1.AdminService/FindTasks';
const gatewaySettings = {
  auth: { anonymous: true, apiKeys: [{ name: 'admin', hash, scopes: ['admin'] }] },
  agents: { demo: { kind: 'reference', knowledge: true } },
};

/** Starts the gateway of a scenario; the last of the servers is measured. */
async function startServers(scenario: string): Promise<ServerProcess[]> {
  const measured = { preload: 'long-turn' };
  if (scenario !== bridged)
    return [await ServerProcess.startWith(measured, 'gateway', JSON.stringify(gatewaySettings))];
  const agent = await ServerProcess.start('gateway');
  return [agent, await ServerProcess.startWith(measured, 'bridge', `http://localhost:${agent.http}`)];
}

/** Calls that one caller has under way at once while the wait of others is measured. */
const atOnce = 4;

/**
 * The time that one caller's large requests and answers keep others waiting: the longest turn of the gateway's event loop, with one
 * call at a time, and what another caller waits for a small call meanwhile, with several. The caller, the other caller and the
 * gateway are processes of their own.
 */
export async function measureLargeAnswers({ rounds }: Settings): Promise<Measured> {
  const figures: Figure[] = [];
  for (const [scenario, prepare] of Object.entries(operations)) {
    const servers = await startServers(scenario);
    try {
      const gateway = servers.at(-1) as ServerProcess;
      const send: Send = (body, headers = version10, path = '/') =>
        fetch(`http://127.0.0.1:${gateway.http}${path}`, {
          method: 'POST',
          headers: { 'Content-Type': 'application/json', Host: 'localhost', ...headers },
          body: JSON.stringify(body),
          signal: AbortSignal.timeout(60_000),
        });
      const { body, headers, path } = await prepare(send);
      const ask = async (): Promise<number> => {
        const answer = await send(body, headers, path);
        const bytes = await answer.bytes();
        if (!answer.ok || isError(bytes)) throw new Error(`${scenario}: ${answer.status} ${text(bytes)}`);
        return bytes.length;
      };
      const turns: number[] = [];
      let bytes = 0;
      for (let round = -2; round < rounds; round += 1) {
        await gateway.ask<LongTurn>('turn', 'turn');
        bytes = await ask();
        const { turn } = await gateway.ask<LongTurn>('turn', 'turn');
        if (round >= 0) turns.push(turn);
      }
      const other = await ServerProcess.start('small-caller', String(gateway.http));
      servers.unshift(other);
      await other.ask<Waits>('waits', 'longest');
      for (let round = 0; round < rounds; round += 1) {
        // Some are refused where all together would take too much memory.
        await Promise.allSettled(Array.from({ length: atOnce }, ask));
      }
      const { p95, longest } = await other.ask<Waits>('waits', 'longest');
      const measures = { 'turn ms': rounded(median(turns)), 'longest turn ms': rounded(Math.max(...turns)) };
      const waits = { "others' p95 ms": rounded(p95), "others' longest ms": rounded(longest) };
      figures.push({ scenario, server: 'gateway', 'answer MiB': rounded(bytes / mebibyte), ...measures, ...waits });
    } finally {
      for (const server of servers) await server.stop();
    }
  }
  const largest = (measure: string): number => Math.max(...figures.map((figure) => Number(figure[measure])));
  return {
    figures,
    ratios: [
      ratio("longest turn of the event loop by one caller's answers, ms", largest('turn ms'), '< 50'),
      ratio("others' wait beside four large calls of one caller, p95 ms", largest("others' p95 ms")),
    ],
  };
}

const text = (bytes: Uint8Array): string => Buffer.from(bytes.subarray(0, 300)).toString();
const isError = (bytes: Uint8Array): boolean => /"errors?":/.test(text(bytes));
