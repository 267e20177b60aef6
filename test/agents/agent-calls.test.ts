import { describe, expect, it } from 'vitest';
import { askingStatus, openAskOf } from '../../src/core/model/ask.ts';
import { type ParentFacts, parentOf } from '../../src/core/model/lineage.ts';
import { questionOf } from '../../src/core/model/question.ts';
import { type AgentRequest, artifact, ask, data, isWaiting, passedOn, passOn, progress, say } from '../../src/index.ts';
import { type TestOptions, testAgent } from '../../src/testing/index.ts';

/** Agents that call other agents of the gateway, for their own callers. */

const agent = (execute: (request: AgentRequest) => AsyncIterable<unknown>, more: object = {}) =>
  ({ name: 'Planner', description: 'Asks others', execute, ...more }) as never;

/** Answers with what another agent answers. */
const planner = agent(async function* ({ text, agent, task }) {
  const from = passedOn(task);
  const answer = await agent(from?.agent ?? 'other').send(text, from && { taskId: from.taskId });
  yield isWaiting(answer) ? passOn(answer) : artifact({ content: `It says: ${answer.text}` });
});

const ended = (signal: AbortSignal) =>
  new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));

it('an agent that calls another one gets its message or its task, and its events', async () => {
  await using tester = await testAgent(
    agent(async function* ({ agent }) {
      const said = await agent('speaker').send(['a', data({ b: 1 })]);
      const made = await agent('maker').send({ parts: [{ text: 'x' }], metadata: { m: 1 } });
      const seen: string[] = [];
      for await (const event of agent('maker').stream('y')) seen.push(Object.keys(event)[0] ?? '');
      const got = await agent('maker').get(made.task?.id ?? '');
      yield artifact({ content: data({ said, made, seen, same: got.id === made.task?.id }) });
    }),
    {
      agents: {
        speaker: async ({ message }) => say(message.parts),
        maker: {
          name: 'M',
          description: 'M',
          async *execute({ text }) {
            yield artifact({ content: text });
          },
        },
      },
    } satisfies TestOptions,
  );
  const { task } = await tester.send('go');
  expect(task?.artifacts?.[0]?.parts[0]?.data).toMatchObject({
    said: {
      agent: 'speaker',
      text: 'a',
      message: { role: 'ROLE_AGENT', parts: [{ text: 'a' }, { data: { b: 1 } }] },
    },
    made: { agent: 'maker', text: 'x', state: 'TASK_STATE_COMPLETED', task: { history: [{ metadata: { m: 1 } }] } },
    seen: ['task', 'artifactUpdate', 'statusUpdate'],
    same: true,
  });
});

it('an agent that calls another one calls it as the delegate of its caller', async () => {
  await using tester = await testAgent(planner, {
    agents: { other: ({ principal, hops }) => artifact({ content: `${principal.id} ${hops}` }) },
  });
  const { text, task } = await tester.as('ada').send('who?');
  expect(text).toBe('It says: ada 1');
  const { tasks } = await tester.as('ada').client.listTasks({});
  // The tester lists those of the tested agent; the other agent's are the caller's, too.
  expect(tasks.map(({ id }) => id)).toEqual([task?.id]);
});

it('an agent that calls another one learns of an unknown name, and of the agents that its caller may call', async () => {
  const agents = { one: () => 'one', two: () => 'two' };
  const curious = agent(async function* ({ agent, text }) {
    yield say(
      await agent(text)
        .send('hello')
        .then(
          ({ text }) => text,
          (error) => `${error.kind}: ${error.message}`,
        ),
    );
  });
  await using tester = await testAgent(curious, { agents });
  expect((await tester.send('one')).text).toBe('one');
  expect((await tester.send('none')).text).toBe('agentNotFound: No such agent: none; there are one, two, tested');
  const limited = tester.as({ id: 'ada', agents: new Set(['tested', 'two']) });
  expect((await limited.send('two')).text).toBe('two');
  expect((await limited.send('one')).text).toBe('permissionDenied: The caller may not call the agent one');
  expect((await limited.send('none')).text).toBe('agentNotFound: No such agent: none; there are two, tested');
});

it('an agent that calls another one counts in the requests of its caller', async () => {
  const asks = agent(async function* ({ agent }) {
    const errors: string[] = [];
    for (let n = 0; n < 4; n += 1) {
      const failed = (error: { kind: string }) => errors.push(error.kind);
      // Less than the time after which another request is allowed.
      await agent('other').send(`${n}`, { timeout: 15_000 }).catch(failed);
    }
    yield say(errors.join(' '));
  });
  const settings = { limits: { requestsPerMinute: 3 } };
  await using tester = await testAgent(asks, { agents: { other: () => 'fine' }, settings });
  expect((await tester.send('go')).text).toBe('tooManyRequests');
});

it('an agent that calls another one is refused on behalf of itself, and names the circle', async () => {
  const asks = (name: string) =>
    agent(async function* ({ agent }) {
      const { text } = await agent(name).send('x');
      yield artifact({ content: text });
    });
  await using tester = await testAgent(asks('other'), { agents: { other: asks('tested') } });
  const circle = 'The agent tested would be called on behalf of itself: tested -> other -> tested';
  await expect(tester.send('go')).rejects.toThrow(circle);
});

it('an agent that calls another one is stopped where agents may call themselves for ever', async () => {
  await using tester = await testAgent(
    agent(async function* ({ agent, hops }) {
      yield progress(`${hops}`);
      const { text, state } = await agent('tested').send('again');
      yield artifact({ content: state === 'TASK_STATE_FAILED' ? text : `not stopped: ${text}` });
    }),
    { settings: { limits: { root: { reentries: 100 } } } },
  );
  const { text } = await tester.send('go');
  expect(text).toMatch(/The call has passed more than 8 agents and gateways/);
});

it('an agent that calls another one cannot send for ever to an agent that asks for ever', async () => {
  let asked = 0;
  await using tester = await testAgent(
    agent(async function* ({ agent }) {
      while (isWaiting(await agent('other').send('what?')));
      yield say('never');
    }),
    {
      agents: {
        other: () => {
          asked += 1;
          return ask('And?');
        },
      },
    },
  );
  await expect(tester.send('go')).rejects.toThrow('has sent 1000 messages to other agents in one turn');
  expect(asked).toBe(1_000);
});

it('an agent that calls another one waits no longer than it says', async () => {
  await using tester = await testAgent(
    agent(async function* ({ agent }) {
      const failed = (error: { kind: string; message: string }) => ({ text: `${error.kind}: ${error.message}` });
      yield say((await agent('slow').send('x', { timeout: 50 }).catch(failed)).text);
    }),
    { agents: { slow: async ({ signal }) => ended(signal).then(() => 'late') } },
  );
  expect((await tester.send('go')).text).toBe(
    'deadlineExceeded: The agent slow did not answer within 50 ms; its task goes on',
  );
});

it.each(['send', 'stream'] as const)(
  'a canceled task cancels the tasks of other agents whose answers it waits for: %s',
  async (way) => {
    const began = Promise.withResolvers<void>();
    const canceled = Promise.withResolvers<void>();
    await using tester = await testAgent(
      agent(async function* ({ agent }) {
        yield progress('asking');
        if (way === 'send') await agent('other').send('x');
        else for await (const _ of agent('other').stream('x'));
        yield artifact({ content: 'never' });
      }),
      {
        agents: {
          other: {
            name: 'Other',
            description: 'Waits',
            async *execute({ signal }) {
              began.resolve();
              await ended(signal);
              canceled.resolve();
              yield progress('stopped');
            },
          },
        },
      },
    );
    const { task } = await tester.send('go', { returnImmediately: true });
    await began.promise;
    expect((await tester.cancel(task?.id ?? '')).status.state).toBe('TASK_STATE_CANCELED');
    await canceled.promise;
  },
);

describe('a question of another agent', () => {
  const schema = { type: 'object', properties: { seats: { type: 'integer' } }, required: ['seats'] } as const;

  it('a question of another agent is passed on and answered over two levels', async () => {
    const middle = {
      name: 'Middle',
      description: 'Passes on',
      async *execute({ text, message, agent, task }: AgentRequest) {
        const from = passedOn(task);
        const answer = await agent('booking').send(from ? message : text, from && { taskId: from.taskId });
        yield isWaiting(answer) ? passOn(answer) : artifact({ content: answer.text });
      },
    };
    const booking = {
      name: 'Booking',
      description: 'Asks',
      async *execute({ task, answer }: AgentRequest) {
        if (!task) yield ask('How many seats?', { schema });
        else yield artifact({ content: JSON.stringify(answer?.action === 'accept' && answer.value) });
      },
    };
    await using tester = await testAgent(planner, { agents: { other: middle, booking } });
    const { task, text } = await tester.send('book');
    const taskId = task?.id ?? '';
    expect([text, task && questionOf(task)]).toEqual(['How many seats?', { text, schema, by: 'booking' }]);
    await expect(tester.send('some', { taskId })).rejects.toThrow('answer.seats: must be integer');
    const answered = await tester.send('2', { taskId });
    expect([answered.state, answered.text]).toEqual(['TASK_STATE_COMPLETED', 'It says: {"seats":2}']);
  });

  it('a task that passes on what a held call waits for holds no call itself', () => {
    const ask = { by: 'policy p', of: ['ada'], quorum: 1, self: false, wait: 1_000, otherwise: 'deny' } as const;
    const ids = { taskId: 't', contextId: 'c' };
    const status = askingStatus({ seq: 1, since: Date.now(), asks: [{ ...ask, given: [] }] }, ids, Date.now());
    const answer = { agent: 'other', text: '', state: status.state, task: { id: 't', contextId: 'c', status } };
    const passed = passOn(answer).statusUpdate?.status ?? expect.fail('no status');
    expect(openAskOf({ status })).toBeDefined();
    expect(openAskOf({ status: passed })).toBeUndefined();
    expect(questionOf({ status: passed })).toMatchObject({
      by: 'policy p',
      text: expect.stringContaining('ada agrees'),
    });
  });

  it('a question of another agent cannot be passed on where there is none', async () => {
    const answer = { agent: 'other', text: 'done', state: 'TASK_STATE_COMPLETED' } as const;
    expect(() => passOn(answer)).toThrow('other has asked nothing');
  });
});

it('a run that is restarted does not send the same message twice, and takes the first answer', async () => {
  const got: string[] = [];
  const reached = Promise.withResolvers<void>();
  let runs = 0;
  await using tester = await testAgent(
    agent(
      async function* ({ agent, signal }) {
        runs += 1;
        yield progress(`run ${runs}`);
        const [first, second] = [await agent('other').send('same'), await agent('other').send('same')];
        const named = await agent('other').send(`worded ${runs}`, { key: 'step' });
        if (runs === 1) {
          reached.resolve();
          await ended(signal);
        }
        yield artifact({ content: [first, second, named].map(({ text }) => text).join() });
      },
      { restart: true },
    ),
    {
      agents: {
        other: ({ text }) => {
          got.push(text);
          return artifact({ content: `${got.length}` });
        },
      },
    },
  );
  const { task } = await tester.send('go', { returnImmediately: true });
  await reached.promise;
  await tester.restart();
  expect((await tester.wait(task?.id ?? '')).text).toBe('1,2,3');
  expect([runs, got]).toEqual([2, ['same', 'same', 'worded 1']]);
});

it('a run that is restarted still has the limits of its caller', async () => {
  let runs = 0;
  const reached = Promise.withResolvers<void>();
  await using tester = await testAgent(
    agent(
      async function* ({ agent, signal, text }) {
        runs += 1;
        yield progress('begun');
        if (runs === 1) {
          reached.resolve();
          await ended(signal);
        }
        const failed = (error: { message: string }) => error.message;
        yield artifact({
          content: await agent(text)
            .send('x')
            .then(({ text }) => text, failed),
        });
      },
      { restart: true },
    ),
    { agents: { secret: () => 'secret' } },
  );
  const limited = tester.as({ id: 'ada', agents: new Set(['tested']) });
  const { task } = await limited.send('secret', { returnImmediately: true });
  await reached.promise;
  await tester.restart();
  expect((await limited.wait(task?.id ?? '')).text).toBe('The caller may not call the agent secret');
});

it("the other agent's task says which task opened it, whatever the agent says of itself", async () => {
  const ids: string[] = [];
  await using tester = await testAgent(
    agent(async function* ({ agent, taskId }) {
      ids.push(taskId);
      const asked = await agent('other').send('x');
      const again = await agent('other').send('y', { taskId: asked.task?.id ?? '' });
      ids.push(...[asked, again].map(({ task }) => parentOf(task?.metadata)?.task ?? ''));
      yield artifact({ content: 'done' });
    }),
    {
      agents: {
        other: ({ task, taskId, contextId }) => {
          const metadata = { own: 1, 'a2a-gateway/parent': { agent: 'x', task: 'forged', hops: 0 } };
          const state = task ? 'TASK_STATE_COMPLETED' : 'TASK_STATE_INPUT_REQUIRED';
          return { task: { id: taskId, contextId, status: { state }, metadata } };
        },
      },
    },
  );
  await tester.send('go');
  const [own] = ids;
  expect(ids).toEqual([own, own, own]);
});

it("the other agent's task knows the root of its tree, and the tasks on the way from there", async () => {
  const facts: (ParentFacts | undefined)[] = [];
  const asking = (next: string) =>
    agent(async function* ({ agent }) {
      const { task } = await agent(next).send('x');
      facts.push(parentOf(task?.metadata));
      yield artifact({ content: 'done' });
    });
  await using tester = await testAgent(asking('second'), {
    agents: { second: asking('third'), third: () => artifact({ content: 'done' }) },
  });
  const { task } = await tester.send('go');
  const root = task?.id;
  const [third, second] = facts;
  expect(second).toMatchObject({ task: root, root });
  expect(second).not.toHaveProperty('above');
  expect(third).toMatchObject({ agent: 'second', root, above: [{ agent: second?.agent, task: root }] });
});
