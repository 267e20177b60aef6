import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, expect, it } from 'vitest';
import { type Client, connect, type StreamResponse } from '../../src/client/index.ts';
import { printed, startCli } from '../support/cli.ts';
import { newFolder } from '../support/folders.ts';
import { reaches } from '../support/reaches.ts';

/** The example that works for half a minute, here with less to write: asked over the network, in a process of its own. */

const agent = fileURLToPath(new URL('../../examples/report-agent.ts', import.meta.url));
const folder = newFolder();
let child: ChildProcess;
let client: Client;
afterEach(async () => {
  await client.close();
  child.kill('SIGKILL');
});

/** Starts the gateway on the same store as before. */
async function start(config: string): Promise<void> {
  const file = join(folder, 'gateway.yaml');
  const settings = `listen: { port: 0 }\nstore: sqlite:./reports.db\nagents:\n`;
  writeFileSync(file, `${settings}  report: { kind: module, path: ${JSON.stringify(agent)}, config: ${config} }\n`);
  child = startCli(['serve', '--config', file], { cwd: folder });
  const [, url = ''] = /listening on (\S+:\d+)/.exec(await printed(child, /listening on \S+:\d+/)) ?? [];
  client = await connect(url);
}

/** Asks for a report, and answers the question for whom it is. */
async function commission(): Promise<{ readonly id: string; readonly events: AsyncIterable<StreamResponse> }> {
  const { task } = await client.send('lighthouses');
  expect(task?.status.state).toBe('TASK_STATE_INPUT_REQUIRED');
  expect(task?.status.message?.parts).toEqual([{ text: 'For whom is the report?' }]);
  const id = task?.id ?? '';
  const message = { messageId: 'answer', taskId: id, role: 'ROLE_USER' as const, parts: [{ text: 'sailors' }] };
  return { id, events: client.stream('SendStreamingMessage', { message }) };
}

async function finished(id: string) {
  await reaches(client, id, 'COMPLETED');
  return client.getTask({ id });
}

it('the example of a report streams its sections, asks once, and leaves a file', async () => {
  await start('{ sections: 4, pace: 5 }');
  const { id, events } = await commission();
  const chunks: string[] = [];
  for await (const { artifactUpdate: update } of events) {
    if (update?.artifact.artifactId === 'draft') chunks.push(update.artifact.parts[0]?.text ?? '');
  }
  expect(chunks.map((text) => text.split('\n')[0])).toEqual(
    [1, 2, 3, 4].map((number) => `## ${number}. lighthouses, for sailors`),
  );
  const { artifacts = [] } = await client.getTask({ id });
  const file = artifacts.find(({ name }) => name === 'report')?.parts[0];
  expect(file).toMatchObject({ filename: 'report.md', mediaType: 'text/markdown' });
  expect(Buffer.from(file?.raw ?? '', 'base64').toString()).toBe(`# lighthouses\n\n${chunks.join('')}`);
});

it('the example of a report can be canceled while it writes', async () => {
  await start('{ sections: 1000, pace: 5 }');
  const { id, events } = await commission();
  let chunks = 0;
  let canceled = false;
  for await (const { artifactUpdate, statusUpdate } of events) {
    if (artifactUpdate && ++chunks === 3) await client.cancelTask({ id });
    canceled ||= statusUpdate?.status.state === 'TASK_STATE_CANCELED';
  }
  expect(canceled).toBe(true);
  expect(chunks).toBeLessThan(1000);
});

it('the example of a report continues with the next section after its gateway was killed', async () => {
  const settings = '{ sections: 8, pace: 100 }';
  await start(settings);
  const { id, events } = await commission();
  const draftOf = async () =>
    (await client.getTask({ id })).artifacts?.find(({ name }) => name === 'draft')?.parts ?? [];
  for await (const { artifactUpdate } of events) if (artifactUpdate) break;
  await expect.poll(async () => (await draftOf()).length).toBeGreaterThan(2);
  await client.close();
  child.kill('SIGKILL');
  await once(child, 'close');
  await start(settings);
  const { artifacts = [] } = await finished(id);
  const draft = artifacts.find(({ name }) => name === 'draft')?.parts.map(({ text }) => text?.split('.')[0]);
  expect(draft).toEqual(Array.from({ length: 8 }, (_, index) => `## ${index + 1}`));
  expect(artifacts.map(({ name }) => name)).toEqual(['draft', 'report']);
});
