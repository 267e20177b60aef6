/** A gateway with the agents, callers and tasks of a shop, as the pictures of the console show it. */
import { newKey } from '../../src/auth/hash.ts';
import { artifact, ask, defineAgent, progress, status } from '../../src/index.ts';
import { startReceiver } from '../push/receiver.ts';
import { askAdmin, callsOf } from '../support/admin.ts';
import { type Opened, openGateway } from '../support/gateway.ts';
import { sendJson, serve } from '../support/peer.ts';

const minute = 60_000;

/** Minutes that have passed when the pictures are taken. */
const past = 50;

const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

const keys = Object.fromEntries(
  ['storefront', 'mobile-app', 'back-office', 'analytics'].map((name) => [name, newKey()] as const),
);

const orders = defineAgent({
  name: 'Orders',
  description: 'Places orders, and says where they are.',
  skills: [
    {
      id: 'place',
      name: 'Place an order',
      description: 'Reserves the goods, and takes the payment.',
      tags: ['orders'],
    },
    { id: 'track', name: 'Track an order', description: 'Says where an order is.', tags: ['orders', 'courier'] },
  ],
  async *execute({ text, agent }) {
    yield progress('Reserving the goods');
    if (text.includes('refund')) yield status('TASK_STATE_FAILED', 'The payment provider answered 402 for the refund');
    if (text.includes('gift')) yield status('TASK_STATE_REJECTED', 'No courier is within reach of the address');
    if (/refund|gift/.test(text)) return;
    await agent('stock').send(text);
    yield progress('Taking the payment');
    yield artifact({ name: 'order', content: JSON.stringify({ order: text, total: 42.5, currency: 'EUR' }) });
  },
});

const stock = defineAgent({
  name: 'Stock',
  description: 'Says what is in the warehouse.',
  skills: [{ id: 'count', name: 'Count', description: 'Counts what is left of an article.', tags: ['warehouse'] }],
  async *execute({ text }) {
    for (let shelf = 1; shelf <= 12; shelf += 1) {
      yield progress(`Shelf ${shelf} of 12`);
      yield artifact({
        artifactId: 'report',
        name: 'report',
        append: shelf > 1,
        content: `Shelf ${shelf}: ${shelf * 7} × ${text}\n`,
      });
      await wait(20);
    }
  },
});

const schema = {
  type: 'object',
  properties: {
    seats: { type: 'integer', minimum: 1, title: 'Seats' },
    class: { type: 'string', enum: ['economy', 'business'], title: 'Class' },
  },
  required: ['seats'],
};

const travel = defineAgent({ name: 'Travel', description: 'Books journeys.' }, ({ answer }) =>
  answer
    ? artifact({ content: `Booked: ${JSON.stringify(answer)}` })
    : ask('How many seats, and in which class?', { schema }),
);

const configOf = (upstream: string, judge: string): string =>
  JSON.stringify({
    listen: { host: 'localhost', port: 0 },
    store: 'memory:',
    auth: {
      apiKeys: Object.entries(keys).map(([name, { hash }]) => ({ name, hash, scopes: ['tasks', 'knowledge'] })),
    },
    agents: {
      support: { kind: 'reference' },
      archive: { kind: 'upstream', url: `${upstream}/archive` },
      courier: { kind: 'upstream', url: 'http://127.0.0.1:9' },
      catalog: { kind: 'reference', knowledge: { minCertainty: 0.3 } },
    },
    policies: [
      {
        name: 'night-rest',
        deny: 'agent == "archive" && caller.id == "key:analytics"',
        reason: 'The archive rests at night.',
      },
      { name: 'large-orders', deny: 'agent == "orders"', shadow: true },
      {
        name: 'four-eyes',
        ask: { of: ['back-office'] },
        where: 'agent == "travel" && caller.id == "key:mobile-app"',
        reason: 'Journeys cost money.',
      },
    ],
    guards: [{ name: 'card-numbers', where: 'agent == "support"', on: ['request'], url: judge }],
    registration: { allow: true },
  });

/** Lets the clock of this process go on, so that what happens is spread over the last minutes. */
function turnBack(): (ms: number) => void {
  const now = Date.now;
  let behind = past * minute;
  Date.now = () => now() - behind;
  return (ms) => {
    behind = Math.max(0, behind - ms);
  };
}

const says = (subject: string, predicate: string, object: object, certainty = 1) => ({
  op: 'add',
  statement: {
    subject: { id: `https://shop.example/${subject}`, type: 'https://schema.org/Product' },
    predicate: { id: `https://schema.org/${predicate}` },
    object,
    certainty,
  },
});

const facts = ['lamp', 'chair', 'table', 'shelf'].flatMap((name, at) => [
  says(name, 'name', { value: name }),
  says(name, 'price', { value: 19.9 + 10 * at }, 0.9),
  says(name, 'isRelatedTo', { id: `https://shop.example/${['chair', 'table', 'shelf', 'lamp'][at]}` }, 0.7),
]);

export interface World extends AsyncDisposable {
  readonly gateway: Opened;
  /** Keys of a task that failed, of one that asks, and of one with many events; a context; a call's request id. */
  readonly named: Readonly<Record<'failed' | 'waiting' | 'long' | 'context' | 'call', string>>;
}

/** Starts the gateway, and lets its callers call it for the past minutes. */
export async function openWorld(): Promise<World> {
  const goOn = turnBack();
  const judge = await serve((_, res) => sendJson(res, { action: 'allow' }));
  const upstream = await openGateway('agents: { archive: { kind: reference } }');
  const gateway = await openGateway(configOf(upstream.url, judge), { agents: { orders, stock, travel } });
  const receivers = [await startReceiver(() => 410), await startReceiver(() => 503)];
  const callsFor = (caller: string, agent: string) =>
    callsOf(`${gateway.url}/${agent}`, { 'x-api-key': keys[caller]?.key ?? '' });
  const send = (caller: string, agent: string, text: string, more = {}) =>
    callsFor(caller, agent)
      .send(text, { immediately: false, ...more })
      .catch(() => undefined);
  for (let at = 0; at < past; at += 1) {
    const busy = 1 + Math.round(2 + 2 * Math.sin(at / 6));
    for (let order = 0; order < busy; order += 1) await send('storefront', 'orders', `${order + 1} lamps`);
    if (at % 3 === 0) await send('mobile-app', 'orders', 'refund of a chair');
    if (at > 30) await send('storefront', 'orders', 'a gift for Ada');
    if (at % 4 === 0) await send('back-office', 'archive', 'say hello');
    if (at % 5 === 0) await send('back-office', 'courier', 'where is my order');
    if (at % 6 === 0) await send('analytics', 'archive', 'say hello');
    if (at % 2 === 0) await send('mobile-app', 'support', 'say thank you');
    goOn(minute);
    await wait(120);
  }
  await callsFor('back-office', 'catalog').post('/knowledge:update', {
    mutations: facts,
    sourceAgentId: 'buyer',
    justification: 'The price list of November',
  });
  for (const [at, { url }] of receivers.entries()) {
    await callsFor('storefront', 'stock').post('/message:send', {
      message: { messageId: `push-${at}`, role: 'ROLE_USER', parts: [{ text: 'chairs' }] },
      configuration: { taskPushNotificationConfig: { url: `${url}/hook` } },
    });
  }
  const waiting = await send('storefront', 'travel', 'a journey to Lisbon');
  await send('mobile-app', 'travel', 'a journey to Oslo', { immediately: true });
  const long = await send('storefront', 'stock', 'lamps');
  const failed = await send('mobile-app', 'orders', 'refund of a table');
  const first = await send('back-office', 'support', 'stream 3 0');
  const contextId = first?.contextId ?? '';
  await send('back-office', 'support', 'ask', { contextId, referenceTaskIds: [first?.id] });
  await send('back-office', 'orders', '2 lamps', { contextId });
  for (const name of ['warehouse-east', 'warehouse-west']) {
    await askAdmin(gateway.url, 'RegisterAgent', { name, url: `${upstream.url}/archive`, leaseSeconds: 3_600 });
  }
  await askAdmin(gateway.url, 'StopCaller', { principal: 'key:scraper', reason: 'It calls without an end.' });
  await askAdmin(gateway.url, 'Record', { agent: 'archive', calls: 10 });
  await send('back-office', 'archive', 'say recorded');
  // Numbers and metrics are kept at each ten seconds.
  await wait(11_000);
  const { calls = [] } = await askAdmin(gateway.url, 'ListCalls', { agent: 'courier', pageSize: 1 });
  return {
    gateway,
    named: {
      failed: failed?.id ?? '',
      waiting: waiting?.id ?? '',
      long: long?.id ?? '',
      context: contextId,
      call: calls[0]?.requestId ?? '',
    },
    async [Symbol.asyncDispose]() {
      for (const one of receivers) await one.close();
      await gateway.close();
      await upstream.close();
    },
  };
}
