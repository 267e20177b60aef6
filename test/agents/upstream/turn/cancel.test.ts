import { describe, expect, it } from 'vitest';
import type { A2AError } from '../../../../src/client/index.ts';
import type { Task } from '../../../../src/core/model/a2a.ts';
import {
  type Act,
  type Exchange,
  errors,
  events,
  framings,
  type HostileAgent,
  startHostile,
} from '../../../support/hostile-agent.ts';
import { card10 } from '../../../support/hostile-words.ts';
import { bodyOf, sendJson, serve } from '../../../support/peer.ts';
import { reaches } from '../../../support/reaches.ts';
import { bounds, bridged, bridgedTo, essence, servesOn, tell } from '../hostile-bridge.ts';

/** A client that cancels a task gets the true outcome, whatever the upstream agent does with the request. */

const { task, status, chunk } = events;

describe.each(framings)('a task of an agent of %s that its client cancels', (speech) => {
  type Cancel = (agent: HostileAgent, exchange: Exchange, finish: () => void) => unknown;

  /** A task under way; `finish` lets its stream report how it ends. @param call milliseconds that the agent has to answer */
  const underWayWithin = async (call: number, ...cancel: readonly Cancel[]) => {
    const { promise: ending, resolve: finish } = Promise.withResolvers<void>();
    const started = await bridged(
      speech,
      [
        async (exchange) => {
          await tell(agent, exchange)(task(), status('WORKING', 'On it'), chunk('one', false));
          await ending;
          const { state, message } = agent.truth.status;
          const last = message?.parts[0]?.text;
          await exchange.tell(status(state.slice('TASK_STATE_'.length), last));
          exchange.end();
        },
      ],
      {},
      { bounds: { ...bounds, call } },
    );
    const { agent, client } = started;
    const acts = cancel.map(
      (act): Act =>
        (exchange) =>
          act(agent, exchange, finish),
    );
    agent.script = { ...agent.script, CancelTask: acts };
    const stream = client.sendStream('go')[Symbol.asyncIterator]();
    let id = '';
    for (let next = await stream.next(); !next.done && !next.value.artifactUpdate; next = await stream.next()) {
      id ||= next.value.task?.id ?? '';
    }
    const canceling: Promise<Task | A2AError> = client.cancelTask({ id }).catch((error: A2AError) => error);
    return { ...started, id, stream, finish, answer: await canceling };
  };

  const underWay = (...cancel: readonly Cancel[]) => underWayWithin(bounds.call, ...cancel);

  /** Ends the agent's task once: on a busy machine, the gateway repeats its request. */
  const ends = (agent: HostileAgent, state: string, text: string): Task => {
    const isOver = /COMPLETED|CANCELED/.test(agent.truth.status.state);
    if (!isOver) agent.happen(status(state, text));
    return agent.truth;
  };
  const canceled = (agent: HostileAgent): Task => ends(agent, 'CANCELED', 'Stopped');
  const completed = (agent: HostileAgent): Task => ends(agent, 'COMPLETED', 'Done');

  it(`a task of an agent of ${speech} that its client cancels is canceled when the agent agrees`, async () => {
    const { agent, client, id, answer } = await underWay((agent, exchange, finish) => {
      exchange.answer(canceled(agent));
      finish();
    });
    expect(answer).toMatchObject({ id, status: { state: 'TASK_STATE_CANCELED' } });
    expect(essence(await client.getTask({ id }))).toEqual(essence(agent.truth));
  });

  it(`a task of an agent of ${speech} that its client cancels is canceled when the agent agrees and says no more`, async () => {
    const { client, id, answer } = await underWay((agent, exchange) => exchange.answer(canceled(agent)));
    expect(answer).toMatchObject({ id, status: { state: 'TASK_STATE_CANCELED' } });
    expect((await client.getTask({ id })).status.state).toBe('TASK_STATE_CANCELED');
  });

  it(`a task of an agent of ${speech} that its client cancels is canceled when its stream reports it and the agent does not answer the request`, async () => {
    const { client, id, answer } = await underWayWithin(20_000, (agent, _, finish) => {
      canceled(agent);
      finish();
    });
    expect(answer).toMatchObject({ id, status: { state: 'TASK_STATE_CANCELED' } });
    expect((await client.getTask({ id })).status.state).toBe('TASK_STATE_CANCELED');
  });

  it(`a task of an agent of ${speech} that its client cancels is canceled when the connection breaks once`, async () => {
    const { agent, answer } = await underWay(
      (_, exchange) => exchange.reset(),
      (agent, exchange, finish) => {
        exchange.answer(canceled(agent));
        finish();
      },
    );
    expect(answer).toMatchObject({ status: { state: 'TASK_STATE_CANCELED' } });
    expect(agent.count('CancelTask')).toBe(2);
  });

  it(`a task of an agent of ${speech} that its client cancels continues when the agent refuses`, async () => {
    const { agent, client, id, stream, answer, finish } = await underWay((_, exchange) =>
      exchange.refuse(errors.notCancelable),
    );
    expect(answer).toMatchObject({ kind: 'taskNotCancelable' });
    expect((await client.getTask({ id })).status.state).toBe('TASK_STATE_WORKING');
    completed(agent);
    finish();
    const states: (string | undefined)[] = [];
    for (let next = await stream.next(); !next.done; next = await stream.next()) {
      states.push(next.value.statusUpdate?.status.state);
    }
    expect(states.at(-1)).toBe('TASK_STATE_COMPLETED');
    expect(essence(await client.getTask({ id }))).toEqual(essence(agent.truth));
  });

  it(`a task of an agent of ${speech} that its client cancels continues when the agent cannot cancel tasks`, async () => {
    const { client, id, answer } = await underWay((_, exchange) => exchange.refuse(errors.unsupported));
    expect(answer).toMatchObject({ kind: 'taskNotCancelable' });
    expect((await client.getTask({ id })).status.state).toBe('TASK_STATE_WORKING');
  });

  it(`a task of an agent of ${speech} that its client cancels continues when the agent does not answer`, async () => {
    const { bridge, client, id, answer } = await underWay(() => undefined);
    expect(answer).toMatchObject({ kind: 'upstreamTimeout' });
    expect((await client.getTask({ id })).status.state).toBe('TASK_STATE_WORKING');
    await servesOn(bridge);
  });

  it(`a task of an agent of ${speech} that its client cancels is completed when the agent has completed it meanwhile`, async () => {
    const { agent, client, id, answer } = await underWay((agent, exchange, finish) => {
      completed(agent);
      // AgentVault cannot say more than that it was too late.
      if (speech === 'agentvault') exchange.refuse(errors.notCancelable);
      else exchange.answer(agent.truth);
      finish();
    });
    expect(answer).toMatchObject({ kind: 'taskNotCancelable' });
    await reaches(client, id, 'COMPLETED');
    expect(essence(await client.getTask({ id }))).toEqual(essence(agent.truth));
  });

  it(`a task of an agent of ${speech} that its client cancels is completed when its stream reports that and the agent does not answer the request`, async () => {
    const { agent, client, id, answer } = await underWayWithin(20_000, (agent, _, finish) => {
      completed(agent);
      finish();
    });
    expect(answer).toMatchObject({ kind: 'taskNotCancelable' });
    expect(essence(await client.getTask({ id }))).toEqual(essence(agent.truth));
  });

  it(`a task of an agent of ${speech} that its client cancels is canceled when the agent stops it after its answer`, async () => {
    const { agent, client, id, answer } = await underWay((agent, exchange, finish) => {
      exchange.answer(agent.truth);
      canceled(agent);
      finish();
    });
    expect(answer).toMatchObject({ status: { state: 'TASK_STATE_CANCELED' } });
    expect(essence(await client.getTask({ id }))).toEqual(essence(agent.truth));
  });
});

it('an agent that is the gateway itself is not called endlessly', async () => {
  const agent = await startHostile('a2a-1.0 jsonrpc');
  const { bridge, client } = await bridgedTo(agent.url, { cardAge: 1 });
  agent.card = card10(`${bridge.origin}/up/as/a2a-1.0`, 'JSONRPC');
  const text = await client.send('go').then(
    ({ task: bridge }) => bridge?.status.message?.parts[0]?.text,
    (error: A2AError) => error.message,
  );
  expect(text).toMatch(/./);
  await servesOn(bridge);
});

it('a task that the client names is not said to be canceled while its message is on the way to the agent', async () => {
  const known = Promise.withResolvers<void>();
  let isKnown = false;
  const asked: string[] = [];
  const taskOf = (id: string, state: string) => ({ id, status: { state }, artifacts: [], history: [] });
  const url: string = await serve(async (req, res) => {
    const body = await bodyOf(req);
    if (req.method === 'GET') return sendJson(res, { name: 'Old', url, version: '1', capabilities: {}, skills: [] });
    const { id, method, params } = JSON.parse(body);
    asked.push(method);
    const answer = (result: object) => sendJson(res, { jsonrpc: '2.0', id, result });
    if (method === 'tasks/send') {
      await known.promise;
      return answer(taskOf(params.id, 'working'));
    }
    if (method === 'tasks/cancel' && asked.filter((one) => one === method).length > 1)
      return answer(taskOf(params.id, 'canceled'));
    if (method === 'tasks/get' && isKnown) return answer(taskOf(params.id, 'working'));
    if (method === 'tasks/cancel') {
      isKnown = true;
      known.resolve();
    }
    return sendJson(res, { jsonrpc: '2.0', id, error: { code: -32001, message: 'Task not found' } });
  });
  const { client } = await bridgedTo(url, { dialect: 'a2a-0.1', transport: 'jsonrpc' });
  const opened = (await client.send('wait', { returnImmediately: true })).task as Task;
  expect((await client.cancelTask({ id: opened.id })).status.state).toBe('TASK_STATE_CANCELED');
  expect(asked.filter((method) => method === 'tasks/cancel')).toHaveLength(2);
});
