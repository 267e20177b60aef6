import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, it } from 'vitest';
import { type BindingName, type Client, connect } from '../../../src/client/index.ts';
import type { LoggedEvent } from '../../../src/core/model/call.ts';
import { newFolder } from '../../support/folders.ts';
import { paced } from '../../support/pace.ts';
import { afterTest } from '../../support/peer.ts';
import { canonicalEvent } from '../../workload/canonical.ts';

/**
 * A thousand tasks are running over several bindings when the gateway is killed. The gateway that starts on the same file
 * still has every event that a client received before.
 */

const folder = newFolder();
const clients: Client[] = [];
afterAll(async () => {
  await Promise.all(clients.map((client) => client.close()));
});

const script = fileURLToPath(new URL('gateway-process.ts', import.meta.url));

/** Starts a gateway, with clients of each agent over each binding. */
async function start() {
  const child = fork(script, [`sqlite:${join(folder, 'gateway.db')}`], { stdio: 'inherit' });
  afterTest(() => child.kill('SIGKILL'));
  const ended = once(child, 'exit').then(([code]) => Promise.reject(new Error(`the gateway has exited with ${code}`)));
  ended.catch(() => undefined);
  const [{ port }] = await Promise.race([once(child, 'message'), ended]);
  const made = new Map<string, Promise<Client>>();
  const clientOf = (agent: string, via: BindingName): Promise<Client> => {
    const key = `${agent} ${via}`;
    let client = made.get(key);
    if (!client) {
      client = connect(`http://127.0.0.1:${port}/${agent}`, { as: 'a2a-1.0', via });
      made.set(key, client);
      client.then((one) => clients.push(one));
    }
    return client;
  };
  return { child, clientOf };
}

/** What one client received of one task. */
interface Observed {
  readonly via: BindingName;
  readonly agent: string;
  readonly text: string;
  readonly events: LoggedEvent[];
  taskId: string;
}

/** Ten kinds of tasks, a hundred of each: streams at work, waiting, sleeping, resuming; some not waited for. */
const kinds: readonly (readonly [via: BindingName, agent: string, text: string, atOnce?: true])[] = [
  ['jsonrpc', 'demo', 'stream 10000 250'],
  ['jsonrpc', 'demo', 'wait'],
  ['jsonrpc', 'demo', 'slow 600000'],
  ['rest', 'demo', 'stream 10000 250'],
  ['rest', 'demo', 'wait'],
  ['grpc', 'demo', 'stream 10000 250'],
  ['grpc', 'demo', 'slow 600000'],
  ['jsonrpc', 'demo', 'wait', true],
  ['jsonrpc', 'resuming', 'begin'],
  ['grpc', 'resuming', 'begin'],
];
const total = 1_000;

it('a gateway that is killed resumes a thousand running tasks without a lost event', {
  timeout: paced(120_000),
}, async () => {
  const first = await start();
  const observed: Observed[] = [];
  /** Resolves when enough has been seen of a task. Its stream goes on until it breaks. */
  const begin = async (i: number): Promise<void> => {
    const [via, agent, text, atOnce] = kinds[i % kinds.length] ?? expect.fail();
    const record: Observed = { via, agent, text, events: [], taskId: '' };
    observed.push(record);
    const client = await first.clientOf(agent, via);
    if (atOnce) {
      const { task } = await client.send(text, { returnImmediately: true });
      record.taskId = task?.id ?? expect.fail('no task');
      return;
    }
    const enough = Promise.withResolvers<void>();
    const follow = async (): Promise<void> => {
      const message = { messageId: 'm', role: 'ROLE_USER' as const, parts: [{ text }] };
      for await (const event of client.events('SendStreamingMessage', { message })) {
        record.taskId ||= event.event.task?.id ?? '';
        record.events.push(event);
        if (record.events.length === (text.startsWith('stream') ? 4 : 2)) enough.resolve();
      }
    };
    follow().catch(() => undefined);
    await enough.promise;
  };
  await Promise.all(Array.from({ length: total }, (_, i) => begin(i)));
  first.child.kill('SIGKILL');
  await once(first.child, 'exit');
  const received = observed.reduce((sum, { events }) => sum + events.length, 0);
  expect(received).toBeGreaterThan(1.8 * total);

  const { clientOf } = await start();
  const check = async ({ via, agent, text, events, taskId: id }: Observed): Promise<void> => {
    const client = await clientOf(agent, 'rest');
    const read = async (after: number): Promise<LoggedEvent[]> => {
      const log: LoggedEvent[] = [];
      const options = { after, signal: AbortSignal.timeout(paced(20_000)) };
      for await (const event of client.events('SubscribeToTask', { id }, options)) log.push(event);
      return log;
    };
    const log = await read(0);
    // Streams over gRPC do not number their events.
    const kept = (event: LoggedEvent, i: number) =>
      via === 'grpc' ? log[i] : log.find(({ seq }) => seq === event.seq);
    expect(events.map((event, i) => canonicalEvent(kept(event, i)?.event ?? {}))).toEqual(
      events.map(({ event }) => canonicalEvent(event)),
    );
    const task = await client.getTask({ id });
    expect(task.status).toEqual(log.at(-1)?.event.statusUpdate?.status);
    if (agent === 'resuming') {
      expect(task.status.state).toBe('TASK_STATE_COMPLETED');
      expect(task.artifacts?.map(({ parts }) => parts[0]?.text)).toEqual(['begun', 'resumed 1']);
      return;
    }
    expect(task.status.state).toBe('TASK_STATE_FAILED');
    expect(task.status.message?.parts[0]?.text).toMatch(/gateway stopped/);
    if (text.startsWith('stream')) expect(task.artifacts?.[0]?.parts.length).toBeGreaterThan(0);
    const middle = log[Math.floor(log.length / 2)]?.seq ?? expect.fail('an empty log');
    expect((await read(middle)).map(({ seq }) => seq)).toEqual(log.map(({ seq }) => seq).filter((seq) => seq > middle));
  };
  for (let i = 0; i < total; i += 50) await Promise.all(observed.slice(i, i + 50).map(check));
});
