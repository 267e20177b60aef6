import { expect, it } from 'vitest';
import type { StreamResponse, Task } from '../../src/core/model/a2a.ts';
import { fieldsKey, fold } from '../../src/core/model/fold.ts';
import { Random } from '../support/random.ts';
import { foldings } from './folding.ts';

const ids = { taskId: 't', contextId: 'c' } as const;

/** An event that an agent or its client may add to a task, which has some already. */
function eventOf(random: Random, number: number): StreamResponse {
  const role = random.pick(['ROLE_AGENT', 'ROLE_USER'] as const);
  const message = { messageId: `m${random.between(1, 3)}`, role, parts: [{ text: `words ${random.between(1, 2)}` }] };
  const state = random.pick(['TASK_STATE_WORKING', 'TASK_STATE_INPUT_REQUIRED'] as const);
  const fields = random.chance(0.3) && {
    [fieldsKey]: { history: [message], other: number },
  };
  const metadata = random.chance(0.3) && { metadata: { [`key${random.between(1, 2)}`]: number, ...fields } };
  const artifact = {
    artifactId: `a${random.between(1, 2)}`,
    parts: [{ text: `part ${number}` }],
    ...(random.chance(0.3) && { name: `name ${number}`, extensions: [`e${random.between(1, 2)}`] }),
    ...metadata,
  };
  const status = { state, ...(random.chance(0.6) && { message }) };
  return random.pick<StreamResponse>([
    { statusUpdate: { ...ids, status, ...metadata } },
    { statusUpdate: { ...ids, status, ...metadata } },
    { artifactUpdate: { ...ids, artifact, append: random.chance(0.6), lastChunk: false } },
    { message },
    { task: { id: 't', contextId: 'c', status, ...(random.chance(0.5) && { history: [message] }) } },
  ]);
}

it('the fold of the tests and the fold of the gateway come to the same tasks', () => {
  for (let seed = 1; seed <= 200; seed += 1) {
    const random = new Random(seed);
    const opening = { task: { id: 't', contextId: 'c', status: { state: 'TASK_STATE_SUBMITTED' as const } } };
    const log = [opening, ...Array.from({ length: 12 }, (_, at) => eventOf(random, at))];
    let task: Task | undefined;
    for (const [at, own] of [...foldings(log)].entries()) {
      task = fold(task, structuredClone(log[at] as StreamResponse));
      expect(own, `seed ${seed}, event ${at}`).toEqual(task);
    }
  }
});
