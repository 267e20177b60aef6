import { join } from 'node:path';
import { expect, it } from 'vitest';
import { connect } from '../../src/client/index.ts';
import { parseConfig } from '../../src/config/parse.ts';
import type { AgentState, StateSpace } from '../../src/index.ts';
import { type AgentRequest, artifact, ask, defineAgent, progress, say } from '../../src/index.ts';
import { newFolder } from '../support/folders.ts';
import { openGateway } from '../support/gateway.ts';

/** State that agents store between messages. */

async function open(
  execute: (request: AgentRequest) => ReturnType<Parameters<typeof defineAgent>[0]['execute']>,
  more = '',
) {
  const agent = defineAgent({ name: 'A', description: 'Keeps things', execute });
  const config = parseConfig(`listen: { host: localhost, port: 0 }\nstore: "memory:"\n${more}`, {
    file: '/gateway.yaml',
    env: {},
  });
  const gateway = await openGateway(config, { agents: { a: agent } });
  const client = await connect(`${gateway.url}/a`);
  return async (text: string, ids: { contextId?: string; taskId?: string } = {}) => {
    const { task, message } = await client.send(text, ids);
    const said = task?.artifacts?.at(-1)?.parts[0]?.text ?? (message ?? task?.status.message)?.parts[0]?.text;
    return {
      said,
      state: task?.status.state,
      contextId: task?.contextId ?? message?.contextId ?? '',
      taskId: task?.id,
    };
  };
}

const count = async (space: StateSpace): Promise<number> => {
  const next = ((await space.get<number>('count')) ?? 0) + 1;
  await space.set('count', next);
  return next;
};

it('the state of a run of a context is seen by later tasks and direct messages of it, that of a task by its own turns', async () => {
  const send = await open(async function* ({ state, text }) {
    const counts = `${await count(state.context)}/${await count(state.task)}`;
    if (text === 'quick') yield say(counts);
    else if (text === 'ask') yield ask(counts);
    else yield artifact({ content: counts });
  });
  const first = await send('one');
  expect(first.said).toBe('1/1');
  const { contextId } = first;
  expect((await send('quick', { contextId })).said).toBe('2/1');
  const question = await send('ask', { contextId });
  expect(question.said).toBe('3/1');
  expect((await send('answer', { contextId, ...(question.taskId && { taskId: question.taskId }) })).said).toBe('4/2');
  expect((await send('elsewhere')).said).toBe('1/1');
});

it('the state of a run gives back what JSON holds, and refuses all else by its place', async () => {
  const faults: string[] = [];
  const attempt = async (write: Promise<void>): Promise<void> => {
    await write.catch((thrown: Error) => faults.push(`${thrown.name}: ${thrown.message}`));
  };
  const send = await open(async ({ state: { context } }) => {
    const value = { texts: ['é', '\0', '\ud800'], left: undefined, nested: [{ n: -1.5, no: null, yes: true }] };
    await context.set('all', value);
    await context.set('kept', 1);
    const circle: unknown[] = [];
    circle.push(circle);
    await attempt(context.set('kept', undefined));
    await attempt(context.set('kept', { when: [new Date()] }));
    await attempt(context.set('kept', { n: Number.NaN }));
    await attempt(context.set('kept', new Map()));
    await attempt(context.set('kept', [() => 1]));
    await attempt(context.set('kept', 1n));
    await attempt(context.set('kept', circle));
    await attempt(context.set('', 1));
    await attempt(context.set('x'.repeat(129), 1));
    await attempt(context.set('\ud800', 1));
    await context.set('x'.repeat(128), 1);
    await context.set('gone', 1);
    await context.delete('gone');
    return JSON.stringify([await context.get('all'), await context.get('kept'), await context.get('gone')]);
  });
  const expected = { texts: ['é', '\0', '\ud800'], nested: [{ n: -1.5, no: null, yes: true }] };
  expect(JSON.parse((await send('go')).said ?? '')).toEqual([expected, 1, null]);
  expect(faults).toEqual([
    'TypeError: state.context.set("kept") got no value; delete(key) removes one',
    'TypeError: state.context keeps JSON, and the value of "kept" is none: it.when[0] is a Date',
    'TypeError: state.context keeps JSON, and the value of "kept" is none: it.n is NaN',
    'TypeError: state.context keeps JSON, and the value of "kept" is none: it is a Map',
    'TypeError: state.context keeps JSON, and the value of "kept" is none: it[0] is a function',
    'TypeError: state.context keeps JSON, and the value of "kept" is none: it is a bigint',
    expect.stringMatching(/"kept" is none: it(\[0\]){200} is nested more than 200 levels deep$/),
    'TypeError: A key of state.context is a text of 1 to 128 characters, not a text of 0',
    'TypeError: A key of state.context is a text of 1 to 128 characters, not a text of 129',
    'TypeError: A key of state.context is a text of 1 to 128 characters, not a text of 1',
  ]);
});

it('the state of a run above limits.state is refused with key, size and limit, and leaves what was there', async () => {
  let thrown: unknown;
  const send = await open(async ({ state: { task } }) => {
    await task.set('small', 'kept');
    await task.set('large', 'x'.repeat(2_000)).catch((error) => {
      thrown = error;
    });
    return `${await task.get('small')} ${await task.get('large')}`;
  }, 'limits: { state: 1KiB }\n');
  expect((await send('go')).said).toBe('kept undefined');
  expect(thrown).toBeInstanceOf(RangeError);
  expect((thrown as Error).message).toBe(
    'state.task was not changed: with "large" it would have 2018 bytes, and limits.state is 1024; ' +
      'delete values, keep large ones elsewhere, or raise the limit',
  );
});

it('the state of a run takes changes in their order, also where they are not awaited', async () => {
  const send = await open(async ({ state: { context } }) => {
    for (let i = 0; i < 20; i += 1) void context.set('n', i);
    return String(await context.get('n'));
  });
  expect((await send('go')).said).toBe('19');
});

it('the state of a run is not written by a run whose task is over', async () => {
  let kept: AgentState | undefined;
  const began = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<unknown>();
  const agent = defineAgent({
    name: 'A',
    description: 'Goes on after its end',
    async *execute({ state, signal }) {
      kept = state;
      await state.task.set('a', 1);
      yield progress('working');
      began.resolve();
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
      ended.resolve(await state.task.set('a', 2).catch((thrown: unknown) => thrown));
    },
    async cancel(_task, { state }) {
      await state.task.set('canceled', true);
    },
  });
  const gateway = await openGateway('{ listen: { host: localhost, port: 0 }, store: "memory:" }', {
    agents: { a: agent },
  });
  const client = await connect(`${gateway.url}/a`);
  const { task } = await client.send('go', { returnImmediately: true });
  await began.promise;
  await client.cancelTask({ id: task?.id ?? '' });
  expect(await ended.promise).toMatchObject({ message: 'state.task cannot be changed any more: The task is over.' });
  expect([await kept?.task.get('a'), await kept?.task.get('canceled')]).toEqual([1, true]);
});

it('the state of a run survives a restart of the gateway, for a task that is resumed', async () => {
  const folder = newFolder();
  const working = Promise.withResolvers<void>();
  const agent = defineAgent({
    name: 'A',
    description: 'Counts',
    async *execute({ state, signal }) {
      await state.task.set('step', { n: 3 });
      await state.context.set('step', { n: 4 });
      yield progress('working');
      working.resolve();
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
    },
    async *resume(_task, { state }) {
      const [mine, shared] = [
        await state.task.get<{ n: number }>('step'),
        await state.context.get<{ n: number }>('step'),
      ];
      await state.task.set('step', { n: 5 });
      yield artifact({ content: `resumed at ${mine?.n} and ${shared?.n}` });
    },
  });
  const settings = `listen: { host: localhost, port: 0 }\nstore: "sqlite:${join(folder, 'gateway.db')}"\n`;
  const first = await openGateway(settings, { agents: { a: agent } });
  const { task } = await (await connect(`${first.url}/a`)).send('go', { returnImmediately: true });
  await working.promise;
  await first.close();
  const second = await openGateway(settings, { agents: { a: agent } });
  const client = await connect(`${second.url}/a`);
  await expect
    .poll(async () => (await client.getTask({ id: task?.id ?? '' })).artifacts?.[0]?.parts[0]?.text)
    .toBe('resumed at 3 and 4');
});
