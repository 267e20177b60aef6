import { createServer } from 'node:http';
import { expect, test } from 'vitest';
import type { SealedChoice } from '../../../src/extensions/slack/deliveries.ts';
import { Interactions, type InteractionsDeps } from '../../../src/extensions/slack/interactions.ts';
import { sealedTokens } from '../../../src/net/credentials/sealed-tokens.ts';
import { createHttpClient } from '../../../src/net/http-client.ts';
import { Secret } from '../../../src/net/secret.ts';
import { silent } from '../../support/core.ts';
import { afterTest, listenOn } from '../../support/peer.ts';
import { post, signingSecret, startSlack, textsOf } from '../../support/slack.ts';

const tokens = sealedTokens<SealedChoice>('of the store', 'slack');

const asked = { key: 'key', seq: 2, principal: 'key:bob' };
const ask = { metadata: { 'a2a-gateway/ask': { seq: 1, asks: [] } } };
const status = { state: 'TASK_STATE_AUTH_REQUIRED', message: ask };

/** A store with one task, which waits for people. */
const store = {
  now: () => Date.now(),
  overviewOf: async () => asked,
  events: async () => [{ seq: 2, generation: 1, event: { statusUpdate: { status } } }],
  latestTurn: async () => 1,
};

/** A server of the interactions, whose decisions and time the test has. */
async function serve({ store: given, ...deps }: Partial<InteractionsDeps> = {}) {
  const slack = await startSlack();
  const http = createHttpClient();
  const interactions = new Interactions({
    store: { ...store, ...given } as never,
    audit: () => {},
    logger: silent,
    http,
    tokens,
    auth: () => ({ anonymous: 'full', apiKeys: [] }) as never,
    admit: () => {},
    isNamed: () => false,
    answer: async () => {},
    ...deps,
  });
  const settings = {
    webhook: new Secret(slack.webhook),
    signingSecret: new Secret(signingSecret),
    users: { U0ALICE: 'anonymous' },
  };
  const { origin, close } = await listenOn(createServer((req, res) => interactions.serve(req, res, settings)));
  afterTest(async () => {
    http.close();
    await close();
  });
  return { slack, origin, interactions };
}

const message = (choice: SealedChoice) => ({
  text: 'May it?',
  blocks: [{ type: 'actions', elements: [{ type: 'button', text: { text: 'Approve' }, value: tokens.seal(choice) }] }],
});

test('Slack gets its answer while a decision still goes on, and the outcome when it is over', async () => {
  const decided = Promise.withResolvers<void>();
  let isOver = false;
  const { slack, origin, interactions } = await serve({
    store: { overviewOf: async () => (isOver ? undefined : asked) } as never,
    answerWithin: 0,
    answer: () => decided.promise,
  });
  const { click, ...request } = slack.request(message(['key', 1, 0]), 'Approve');
  expect((await post(origin, request)).status).toBe(200);
  expect(slack.receiver.got).toEqual([]);
  const closing = interactions.close();
  isOver = true;
  decided.resolve();
  await closing;
  expect(textsOf(await slack.outcomeOf(click))).toBe('Approved by <@U0ALICE> (anonymous)');
});

test('a decision that fails since the store is unreachable is said to the person, and the message stays', async () => {
  const overviewOf = () => Promise.reject(new Error('the store was unreachable'));
  const { slack, origin } = await serve({ store: { overviewOf } as never });
  const { status, outcome } = await slack.click(origin, message(['key', 1, 0]), 'Approve');
  const text = expect.stringMatching(/^It was not decided: /);
  expect([status, outcome]).toEqual([200, { response_type: 'ephemeral', replace_original: false, text }]);
});

test('the age of a signature is counted by the clock of the store', async () => {
  const at = Date.parse('2020-01-01T00:00:00Z');
  let now = at + 300_000;
  const { slack, origin } = await serve({ store: { now: () => now } as never });
  const { click: _, ...request } = slack.request(message(['key', 1, 0]), 'Approve', { at });
  expect((await post(origin, request)).status).toBe(200);
  now += 1;
  expect((await post(origin, request)).status).toBe(401);
});
