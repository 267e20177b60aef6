import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { parseConfig } from '../../src/config/parse.ts';
import { callsOf } from '../support/admin.ts';
import { newFolder } from '../support/folders.ts';
import { openGateway } from '../support/gateway.ts';
import { inProcess } from '../support/in-process.ts';

const folder = newFolder();
const file = join(folder, 'gateway.yaml');
const yaml = `
listen: { port: 0 }
store: sqlite:main.db
stores: { lab: "sqlite:lab.db" }
agents: { demo: { kind: reference } }
`;
const move = (...args: string[]) => inProcess(['store', 'move', ...args, '--config', file]);

beforeAll(() => writeFileSync(file, yaml));

it('brings the tasks of an agent to another database, and says how many', async () => {
  const gateway = await openGateway(parseConfig(yaml, { file, env: {} }));
  const { id } = await callsOf(gateway.url).send('hello', { immediately: false });
  expect((await move('demo', '--to', 'lab')).stderr).toContain('disable the agent first');
  await gateway.close();
  const moved = await move('demo', '--to', 'lab');
  expect([moved.code, moved.stdout]).toEqual([0, '1 task of demo moved to the store lab\n']);
  const json = await move('demo', '--to', 'default', '--json');
  expect(JSON.parse(json.stdout)).toMatchObject({ to: 'default', rows: { task: 1 } });
  const again = await openGateway(parseConfig(yaml, { file, env: {} }));
  expect((await callsOf(again.url).get<{ id: string }>(`/tasks/${id}`)).id).toBe(id);
});

it.each([
  [['demo', '--to', 'other'], 'there is no store "other"; expected one of default, lab'],
  [['--to', 'lab'], 'name an agent, or a tenant with --tenant'],
])('%j is refused with the reason', async (args, reason) => {
  const { code, stderr } = await move(...args);
  expect([code, stderr]).toEqual([1, expect.stringContaining(reason)]);
});
