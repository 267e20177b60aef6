import { type Figure, type Measured, median, type Ratio, ratio, rounded, type Settings } from './part.ts';
import { params10, version10 } from './requests.ts';
import { ServerProcess } from './server-process.ts';
import type { LongTurn } from './servers/long-turn.ts';

const mebibyte = 1_048_576;
const longText = (bytes: number): object => ({ text: 'words of a large task '.repeat(bytes / 22) });
const smallParts = (count: number): object[] =>
  Array.from({ length: count }, (_, i) => ({ data: { name: `value ${i}`, count: i, tags: ['a', 'b'] } }));

type Send = (body: object, headers?: Record<string, string>) => Promise<Response>;

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

/** By what one caller asks for: prepares a gateway, and returns the request. Headers absent: those of A2A 1.0. */
const operations: Readonly<
  Record<string, (send: Send) => Promise<{ body: object; headers?: Record<string, string> }>>
> = {
  'message of 9 MiB of text': async () => ({ body: call('SendMessage', withParts([longText(9 * mebibyte)])) }),
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
};

/** How long one caller's large requests and answers keep all others waiting: the longest turn of the gateway's event loop. */
export async function measureLargeAnswers({ rounds }: Settings): Promise<Measured> {
  const figures: Figure[] = [];
  for (const [scenario, prepare] of Object.entries(operations)) {
    const gateway = await ServerProcess.startWith({ preload: 'long-turn' }, 'gateway');
    try {
      const send: Send = (body, headers = version10) =>
        fetch(`http://127.0.0.1:${gateway.http}/`, {
          method: 'POST',
          headers: { 'Content-Type': 'application/json', Host: 'localhost', ...headers },
          body: JSON.stringify(body),
          signal: AbortSignal.timeout(60_000),
        });
      const { body, headers } = await prepare(send);
      const turns: number[] = [];
      let bytes = 0;
      for (let round = -2; round < rounds; round += 1) {
        await gateway.ask<LongTurn>('turn', 'turn');
        const answer = await send(body, headers);
        bytes = (await answer.arrayBuffer()).byteLength;
        if (!answer.ok) throw new Error(`${scenario}: ${answer.status}`);
        const { turn } = await gateway.ask<LongTurn>('turn', 'turn');
        if (round >= 0) turns.push(turn);
      }
      const [typical, longest] = [median(turns), Math.max(...turns)];
      const measures = { 'median ms': rounded(typical), 'longest ms': rounded(longest) };
      figures.push({ scenario, server: 'gateway', 'answer MiB': rounded(bytes / mebibyte), ...measures });
    } finally {
      await gateway.stop();
    }
  }
  const largest = Math.max(...figures.map((figure) => Number(figure['median ms'])));
  const goal: Ratio = ratio("longest turn of the event loop by one caller's answers, ms", largest, '< 50');
  return { figures, ratios: [goal] };
}
