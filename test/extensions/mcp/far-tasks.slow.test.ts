import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { connect } from '../../../src/client/index.ts';
import { read } from '../../metrics/support.ts';
import { printed, startCli } from '../../support/cli.ts';
import { newFolder } from '../../support/folders.ts';
import { startGateway } from '../../support/gateway.ts';
import { paced } from '../../support/pace.ts';
import { reaches } from '../../support/reaches.ts';

/** A gateway whose tools are the agents of another gateway, at its `/mcp`. */

/** A far gateway with the reference agent, and what starts a near one before it, over one database. */
async function gateways() {
  const far = await startGateway({});
  const folder = newFolder();
  const config = join(folder, 'gateway.json');
  const settings = {
    listen: { host: '127.0.0.1', port: 0 },
    store: `sqlite:${join(folder, 'tasks.db')}`,
    defaultAgent: 'tools',
    agents: { tools: { kind: 'mcp', servers: { far: { url: `${far.origin}/demo/mcp` } } } },
  };
  await writeFile(config, JSON.stringify(settings));
  return {
    far,
    async start() {
      const child = startCli(['serve', '--config', config]);
      const [origin] = /http:\/\/[\w.]+:\d+/.exec(await printed(child, /http:\/\/[\w.]+:\d+/)) ?? expect.fail();
      return { child, origin };
    },
  };
}

const readTask = /^a2a_gateway_requests_total\{binding="mcp".*operation="GetTask"/;

const callPart = (message: string) => ({
  data: { target_mcp_server_id: 'far', tool_name: 'send_message', arguments: { message } },
});

it(
  'a tool call that is a task at another gateway is polled on by a gateway that was killed and started again',
  async () => {
    const { far, start } = await gateways();
    let near = await start();
    // The reference agent streams for eight seconds.
    const { task } = await (await connect(near.origin)).send([callPart('stream 40 200')], { returnImmediately: true });
    const id = task?.id ?? expect.fail('no task');
    const farTasks = async () => (await (await connect(`${far.origin}/demo`)).listTasks({})).tasks;
    /** Reads of the far task: one as it is created, and a look at it when its id is durable here. */
    const reads = async (): Promise<number> =>
      [...(await read(far.origin))].reduce((sum, [name, count]) => (readTask.test(name) ? sum + count : sum), 0);
    await expect.poll(reads).toBeGreaterThan(1);
    near.child.kill('SIGKILL');
    await once(near.child, 'exit');
    near = await start();
    const client = await connect(near.origin);
    await reaches(client, id, 'COMPLETED');
    const { artifacts } = await client.getTask({ id });
    expect(artifacts?.[0]?.parts[0]?.data).toMatchObject({ success: true });
    expect((await farTasks()).map(({ status }) => status.state)).toEqual(['TASK_STATE_COMPLETED']);

    const before = await reads();
    const other = await client.send([callPart('stream 400 200')], { returnImmediately: true });
    await expect.poll(reads).toBeGreaterThan(before + 1);
    await client.cancelTask({ id: other.task?.id ?? '' });
    await expect
      .poll(async () => (await farTasks()).map(({ status }) => status.state).toSorted())
      .toEqual(['TASK_STATE_CANCELED', 'TASK_STATE_COMPLETED']);
  },
  paced(90_000),
);
