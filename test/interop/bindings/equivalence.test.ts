import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Client, connect, type Task } from '../../../src/client/index.ts';
import { isTerminal } from '../../../src/core/model/lifecycle.ts';
import { answered, conversations, faces, heldOver, mistakes, type Told, taskOf } from '../../support/conversations.ts';
import { type Running, startGateway } from '../../support/gateway.ts';
import { plain } from '../../support/plain.ts';

/**
 * The same conversations held through every face: each dialect over each of its bindings. What the gateway keeps of
 * them is the same, event by event, and what their clients are told comes to the same task and the same errors. New
 * dialects and bindings join by themselves.
 */

let gateway: Running;
/** Reads what the gateway has kept, in its own form. */
let reader: Client;

beforeAll(async () => {
  gateway = await startGateway();
  reader = await connect(gateway.origin, { as: 'a2a-1.0', via: 'jsonrpc' });
});
afterAll(async () => {
  await reader.close();
  await gateway.close();
});

/** Everything that has happened to a task. */
async function logOf({ id }: Task): Promise<unknown> {
  const { status } = await reader.getTask({ id });
  const events: unknown[] = [];
  for await (const event of reader.stream('SubscribeToTask', { id }, { after: 0 })) {
    events.push(plain(event, without));
    // The stream of a task that waits goes on.
    if (!isTerminal(status.state) && event.statusUpdate?.status.state === status.state) break;
  }
  return events;
}

/** What a dialect may leave out or make up besides. */
const without: ReadonlySet<string> = new Set(['metadata']);

/** What a client can know of a task's outcome: its state, and its artifacts' content, however it was divided. */
function outcomeOf({ status, artifacts = [] }: Task): unknown {
  const contents = artifacts.map(({ parts }) => {
    const texts = parts.flatMap(({ text }) => (text === undefined ? [] : [text]));
    const data = parts.flatMap((part) => ('data' in part ? [part.data] : []));
    const files = parts.filter(({ raw, url }) => raw !== undefined || url !== undefined).length;
    return { text: texts.join(''), data, files };
  });
  return { state: status.state, contents };
}

/** What comes of a conversation; a direct answer is a task to those who know nothing else. */
async function compare(ours: Told, theirs: Told): Promise<void> {
  if (!ours.task) {
    const said = theirs.message ?? theirs.task?.status.message ?? theirs.task?.history?.at(-1);
    expect(said?.parts.map(({ text }) => text)).toEqual(ours.message?.parts.map(({ text }) => text));
    return;
  }
  expect(await logOf(taskOf(theirs))).toEqual(await logOf(ours.task));
  expect(outcomeOf(taskOf(theirs))).toEqual(outcomeOf(ours.task));
}

describe.each(faces.map((face) => [face.as, face.via, face] as const))('%s over %s', (as, via, face) => {
  let client: Client;
  beforeAll(async () => {
    client = await connect(`${gateway.origin}/as/${as}`, { as, via });
  });
  afterAll(() => client?.close());

  test.each(heldOver(conversations, face))('%s', async (_name, { hold }) => {
    await compare(await hold(reader), await hold(client));
  });

  test.each(heldOver(mistakes, face))('%s', async (_name, { hold }) => {
    expect(await hold(client)).toEqual(await hold(reader));
  });

  test('a task that was made here is read alike by everybody', async () => {
    const { id } = taskOf(await answered(client, 'stream 3 0'));
    const seen = await reader.getTask({ id });
    for (const other of faces) {
      const others = await connect(`${gateway.origin}/as/${other.as}`, { as: other.as, via: other.via });
      const task = await others.getTask({ id });
      await others.close();
      expect(outcomeOf(task)).toEqual(outcomeOf(seen));
    }
  });
});
