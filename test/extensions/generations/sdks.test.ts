import { expect, it } from 'vitest';
import { parseConfig } from '../../../src/config/parse.ts';
import { type SdkClient, sdks } from '../../interop/sdk/clients.ts';
import { askAdmin } from '../../support/admin.ts';
import { openGateway } from '../../support/gateway.ts';
import { counted } from './support.ts';

/** The official SDKs of several generations before and after the end of their generations. */

const settings = (mode: string): string => `
listen: { host: localhost, port: 0 }
store: "memory:"
agents: { demo: { kind: reference } }
sunset:
  a2a-1.0: { on: 2020-01-01, mode: ${mode} }
  a2a-0.3: { on: 2020-01-01, mode: ${mode} }
  a2a-0.2: { on: 2020-01-01, mode: ${mode} }
`;

/** New work in an existing task and in new ones, and readings of the existing one. Resolves with the number of refusals. */
async function converse(client: SdkClient, taskId: string): Promise<number> {
  let refused = 0;
  const attempt = async (call: () => Promise<unknown>): Promise<void> => {
    await call().catch((thrown: unknown) => {
      const { message, cause } = thrown as Error;
      if (`${message} ${cause}`.includes('takes no new work')) refused += 1;
    });
  };
  await attempt(() => client.send('say good day'));
  await attempt(async () => {
    for await (const _ of client.stream('stream 3 1'));
  });
  await attempt(() => client.send('Ada', { taskId }));
  await attempt(() => client.get(taskId));
  await attempt(() => client.setPush(taskId, { url: 'https://hooks.example.com/' }));
  await attempt(() => client.cancel(taskId));
  return refused;
}

it.each(sdks)(
  'a rehearsal predicts how many calls of $name are refused after the switch',
  async ({ name, connect }) => {
    const { url, gateway } = await openGateway(settings('rehearse'));
    const legacy = name.includes('0.2') ? '/as/a2a-0.2' : '';
    const client = await connect(`${url}${legacy}`);
    const asked = await client.send('ask');
    const { id } = 'id' in asked ? asked : expect.fail('no task');
    const read = async () => ((await askAdmin(url, 'ListGenerations', {})).uses ?? []).map(counted);
    const before = await read();
    expect(before).toMatchObject([{ wouldBeRefused: 1, refused: 0 }]);
    expect(await converse(client, id)).toBe(0);
    const predicted = (await read()).map(({ who, wouldBeRefused }) => [who, wouldBeRefused - 1]);
    await gateway.reload(parseConfig(settings('refuse'), { file: '/gateway.yaml' }));
    const seen = await converse(client, id);
    const refused = (await read()).map((use) => [use.who, use.refused]);
    expect(refused).toEqual(predicted);
    expect(seen).toBe(refused[0]?.[1]);
  },
);
