import { expect, it } from 'vitest';
import { artifact, defineAgent } from '../../../src/agents/define.ts';
import { type Ask, openAskOf } from '../../../src/core/model/ask.ts';
import { answerKey } from '../../../src/core/model/question.ts';
import { collect, outline, startCore, userMessage } from '../../support/core.ts';
import { afterTest } from '../../support/peer.ts';
import { storesOnPostgres } from '../../support/peers.ts';

/** Calls that wait until people agree, at several replicas. */

const database = storesOnPostgres();
const agent = defineAgent({ name: 'Done', description: 'Answers' }, ({ text }) =>
  artifact({ name: text, content: text }),
);

it.each([
  { title: 'a message', semantics: { heldAsWorking: true } },
  { title: 'a subscription', semantics: {} },
] as const)('a stream of $title goes on where another replica releases the call', async ({ title, semantics }) => {
  const stores = await database();
  const one = await startCore({ agent }, { store: await stores.open('one') });
  const two = await startCore({ agent }, { store: await stores.open('two') });
  afterTest(() => Promise.all([one.close(), two.close()]));
  const ask: Ask = { by: 'policy pay', of: ['boss'], quorum: 1, self: false, wait: 60_000, otherwise: 'deny' };
  const sent = await one.stream('SendStreamingMessage', { message: userMessage('pay') }, { asks: [ask], semantics });
  const { task } = (await sent.next()).value.event;
  const stream = title === 'a message' ? sent : await one.stream('SubscribeToTask', { id: task.id });
  if (stream !== sent) await stream.next();
  const rest = collect(stream);
  const facts = { by: 'boss', way: 'admin', releases: openAskOf(task)?.seq ?? 0 };
  const parts = [{ data: { decision: 'approve' } }];
  const metadata = { [answerKey]: facts };
  await two.call('SendMessage', { message: userMessage('', { parts, taskId: task.id, metadata }) });
  expect(outline(await rest)).toEqual(['artifact', 'completed']);
});
