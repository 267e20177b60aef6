import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Client, connect } from '../../src/client/index.ts';
import { answered, type DialectBinding, dialectBindings, taskOf } from '../support/conversations.ts';
import { type Running, startGateway } from '../support/gateway.ts';

/** A task that one client makes is the same task to clients of every other dialect and binding. */

let gateway: Running;
let clients: readonly Client[];
beforeAll(async () => {
  gateway = await startGateway();
  clients = await Promise.all(dialectBindings.map(({ as, via }) => connect(`${gateway.origin}/as/${as}`, { as, via })));
});
afterAll(async () => {
  for (const client of clients) await client.close();
});

test.each(dialectBindings.map((protocol, at) => [protocol.as, protocol.via, at] as const))(
  'every client reads the state and the text of a task that a client of %s over %s made',
  async (_as, _via, at) => {
    const { id } = taskOf(await answered(clients[at] ?? expect.fail(), 'stream 3 0'));
    const read = async (client: Client) => {
      const { status, artifacts = [] } = await client.getTask({ id });
      return [status.state, ...artifacts.map(({ parts }) => parts.map(({ text }) => text).join(''))];
    };
    const nameOf = ({ as, via }: DialectBinding): string => `${as} over ${via}`;
    const seen = await Promise.all(
      clients.map(async (client, i) => [dialectBindings[i] && nameOf(dialectBindings[i]), await read(client)]),
    );
    const expected = ['TASK_STATE_COMPLETED', 'chunk 1chunk 2chunk 3'];
    expect(seen).toEqual(dialectBindings.map((protocol) => [nameOf(protocol), expected]));
  },
);
