import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parseConfig } from '../../../src/config/parse.ts';
import type { Config } from '../../../src/config/types.ts';
import { moveTasks } from '../../../src/gateway/stores/move-tasks.ts';
import { caller, sending } from '../../reload/support.ts';
import { silent } from '../../support/core.ts';
import { newFolder } from '../../support/folders.ts';
import { openGateway } from '../../support/gateway.ts';

/** A configuration with the stores `default` and `lab`, an agent with the settings `agent`, and `more`. */
function configIn(folder: string) {
  return (agent: string, more = ''): Config =>
    parseConfig(
      `listen: { host: localhost, port: 0 }
store: "sqlite:${join(folder, 'main.db')}"
stores: { lab: "sqlite:${join(folder, 'lab.db')}" }
defaultAgent: demo
${more}
agents:
  demo: { kind: reference ${agent} }
  other: { kind: reference }
`,
      { file: join(folder, 'gateway.yaml'), env: {} },
    );
}

test('a reload that gives an agent another store than the one with its tasks is refused, until they are moved', async () => {
  const configWith = configIn(newFolder());
  const { gateway, url, close } = await openGateway(configWith(''));
  const { post, get } = caller(url);
  await gateway.reload(configWith('', 'limits: { answer: 40s }'));
  // An agent without tasks can have another store at once.
  await gateway.reload(configWith(', store: lab'));
  await gateway.reload(configWith(''));
  const sent = await post('/message:send', sending('hello'));
  const { task } = (await sent.json()) as { task: { id: string } };
  const refused = gateway.reload(configWith(', store: lab'));
  await expect(refused).rejects.toThrow(
    `agents.demo.store: the store default has tasks of the agent demo, such as ${task.id}, which its callers would not find; move them first, with a2a-gateway store move demo --to NAME`,
  );
  expect((await get(`/tasks/${task.id}`)).status).toBe(200);
  await close();
  await moveTasks(configWith(''), { agent: 'demo', to: 'lab' }, { logger: silent, onMoved: () => undefined });
  const next = await openGateway(configWith(', store: lab'));
  expect((await caller(next.url).get(`/tasks/${task.id}`)).status).toBe(200);
});

test('a reload that gives a tenant another store than the one with its tasks is refused', async () => {
  const configWith = configIn(newFolder());
  const { gateway, url } = await openGateway(configWith(''));
  const { post } = caller(url);
  await gateway.reload(configWith('', 'tenants: { acme: { store: lab } }'));
  await post('/demo/acme/message:send', sending('hello'));
  await post('/message:send', sending('hello'));
  await expect(gateway.reload(configWith(''))).rejects.toThrow(
    /^tenants\.acme\.store: the store lab has tasks of the tenant acme, such as .* store move --tenant acme --to NAME$/,
  );
});

test('a reload that gives an agent a store that the gateway has not opened is refused', async () => {
  const { gateway } = await openGateway('store: "memory:"\nagents: { demo: { kind: reference } }\n');
  const text = 'store: "memory:"\nstores: { lab: "memory:" }\nagents: { demo: { kind: reference, store: lab } }\n';
  const wanted = parseConfig(text, { file: '/gateway.yaml', env: {} });
  await expect(gateway.reload(wanted)).rejects.toThrow('agents.demo.store: the store lab is new, and takes a restart');
});
