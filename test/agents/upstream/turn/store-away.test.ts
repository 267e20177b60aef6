import { beforeAll, expect, it } from 'vitest';
import { createReferenceAgent } from '../../../../src/agents/reference.ts';
import { sharedPostgres } from '../../../support/postgres.ts';
import { startProxy } from '../../../support/proxy.ts';
import { startReplica } from '../../../support/replicas.ts';
import { startBridge } from '../../../support/upstreams.ts';

/** The gateway's own database goes away while a turn of an upstream task begins. */

beforeAll(sharedPostgres);

/** A bridge whose database can be cut off, in front of the reference agent. */
async function start() {
  const upstream = await startReplica('memory:', 'upstream', { agents: { agent: createReferenceAgent() } });
  const direct = await (await sharedPostgres()).database();
  const { port } = new URL(direct);
  const proxy = await startProxy(Number(port));
  const bridge = await startBridge(
    { agent: { url: `${upstream.url}/agent` } },
    direct.replace(`:${port}`, `:${proxy.port}`),
  );
  /** Cuts the database off at this statement. Resolves when it is unreachable. */
  const cutAt = (statement: RegExp): Promise<void> =>
    new Promise((resolve) => {
      proxy.onSent = (data) => {
        if (proxy.mode !== 'pass' || !statement.test(String(data))) return 'pass';
        proxy.mode = 'refuse';
        proxy.cut();
        resolve();
        return 'cut';
      };
    });
  const back = (): void => {
    proxy.onSent = () => 'pass';
    proxy.mode = 'pass';
  };
  return { client: await bridge.client('agent'), cutAt, back };
}

it.each([
  {
    what: 'the upstream id of its task',
    statement: /upstream_task\.key = task\.key\s+where task\.key =/,
    references: [],
  },
  {
    what: 'the upstream ids of the tasks that it refers to',
    statement: /upstream_task\.key = task\.key\s+where "task"\."agent"/,
    references: ['another'],
  },
])('a turn that reads $what waits for the database', async ({ statement, references }) => {
  const { client, cutAt, back } = await start();
  const { task } = await client.send('ask');
  const away = cutAt(statement);
  const message = {
    messageId: 'm2',
    role: 'ROLE_USER' as const,
    taskId: task?.id ?? '',
    parts: [{ text: 'Bob' }],
    ...(references.length > 0 && { referenceTaskIds: [...references] }),
  };
  const sending = client.sendMessage({ message });
  await away;
  // The gateway retries while the database is unreachable.
  await new Promise((resolve) => setTimeout(resolve, 300));
  back();
  const { task: done } = await sending;
  expect(done?.status.state).toBe('TASK_STATE_COMPLETED');
  expect(done?.artifacts?.[0]?.parts).toEqual([{ text: 'Hello, Bob' }]);
});
