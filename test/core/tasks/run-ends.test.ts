import { beforeEach, expect, it } from 'vitest';
import { defineAgent, say, status } from '../../../src/agents/define.ts';
import type { StreamResponse } from '../../../src/core/model/a2a.ts';
import type { Agent } from '../../../src/core/model/agent.ts';
import { type Bench, startCore, userMessage } from '../../support/core.ts';

/** An agent that a reload replaces is closed when its last run is over: each run must begin and end once. */

const runs = { begun: 0, over: 0 };
let core: Bench;

const working: StreamResponse = status('TASK_STATE_WORKING');
const completed: StreamResponse = status('TASK_STATE_COMPLETED');

/** Events that the agent yields, by the text of the message. */
const scripts: Readonly<Record<string, () => AsyncGenerator<StreamResponse>>> = {
  'a direct message': async function* () {
    yield say('hello');
  },
  'nothing at all': async function* () {},
  'a task that its first event ends': async function* () {
    yield { task: { id: '', contextId: '', status: { state: 'TASK_STATE_REJECTED' } } };
  },
  'a task': async function* () {
    yield working;
    yield completed;
  },
  'events after the end of the task': async function* () {
    yield working;
    yield completed;
    yield working;
  },
  'an error at once': async function* () {
    yield await Promise.reject(new Error('refused'));
  },
  'an error after some events': async function* () {
    yield working;
    throw new Error('broken');
  },
  'an event that is not valid': async function* () {
    yield working;
    yield {} as StreamResponse;
  },
};

const agent: Agent = {
  ...defineAgent({
    name: 'Scripted',
    description: 'Yields what its message names',
    execute: ({ text }) => {
      const script = scripts[text];
      if (!script) throw new Error('no events');
      return script();
    },
  }),
  beginRun() {
    runs.begun += 1;
    return () => {
      runs.over += 1;
    };
  },
};

beforeEach(async () => {
  Object.assign(runs, { begun: 0, over: 0 });
  core = await startCore({ scripted: agent });
});

it.each([...Object.keys(scripts), 'an exception instead of events'])(
  'a run that yields %s begins and ends once',
  async (text) => {
    for (const idempotencyKey of [undefined, text]) {
      const context = idempotencyKey === undefined ? {} : { idempotencyKey };
      await core.call('SendMessage', { message: userMessage(text) }, context).catch(() => undefined);
    }
    await expect.poll(() => runs).toEqual({ begun: 2, over: 2 });
  },
);
