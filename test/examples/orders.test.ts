import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type Client, connect } from '../../src/client/index.ts';
import { type Opened, openGateway } from '../support/gateway.ts';
import { sendJson, serve } from '../support/peer.ts';

/** The example in front of a REST service, with such a service. */

interface Seen {
  readonly path: string | undefined;
  readonly authorization: string | undefined;
  readonly traceparent: string | undefined;
}

let seen: Seen[] = [];
/** Statuses of the next answers; then 200. */
let failures: number[] = [];
let gateway: Opened;
let client: Client;

beforeEach(async () => {
  seen = [];
  failures = [];
  const service = await serve((req, res) => {
    const { authorization, traceparent } = req.headers;
    seen.push({ path: req.url, authorization, traceparent: String(traceparent) });
    const failure = failures.shift();
    if (failure !== undefined) return res.writeHead(failure).end();
    if (req.url === '/shop/orders/1042') return sendJson(res, { state: 'on its way', carrier: 'Blue Ships' });
    return res.writeHead(404).end();
  });
  const config = `
agents:
  orders: { kind: module, path: ./orders-agent.ts, config: { service: "${service}/shop/" }, env: { ORDERS_KEY: k1 } }
`;
  gateway = await openGateway(config, { file: fileURLToPath(new URL('../../examples/x.yaml', import.meta.url)) });
  client = await connect(gateway.url);
});
afterEach(() => client.close());

const parts = async (text: string) => {
  const { message, task } = await client.send(text);
  return (message ?? task?.artifacts?.[0] ?? task?.status.message)?.parts;
};

it('the example of orders says where an order is, with the service and its key', async () => {
  expect(await parts('Where is order 1042?')).toEqual([
    { text: 'Order 1042 is on its way with Blue Ships.' },
    { data: { state: 'on its way', carrier: 'Blue Ships' } },
  ]);
  expect(seen).toMatchObject([{ path: '/shop/orders/1042', authorization: 'Bearer k1' }]);
});

it('the example of orders asks for a number, and knows orders that are not there', async () => {
  expect(await parts('Where is it?')).toEqual([{ text: 'Which order? Send its number.' }]);
  expect(await parts('order 7')).toEqual([{ text: 'There is no order 7.' }]);
});

it('the example of orders tries again while the service is away for a moment, and fails the task when it stays away', async () => {
  failures = [503];
  expect((await parts('order 1042'))?.[0]).toEqual({ text: 'Order 1042 is on its way with Blue Ships.' });
  expect(seen).toHaveLength(2);
  failures = Array.from({ length: 20 }, () => 500);
  expect(await parts('order 1042')).toEqual([{ text: 'The order service does not answer. Try again later.' }]);
});
