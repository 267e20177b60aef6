import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeAll, expect, it } from 'vitest';
import { newFolder } from '../support/folders.ts';
import { paced } from '../support/pace.ts';
import { query, type SharedPostgres, sharedPostgres } from '../support/postgres.ts';
import { type Receiver, startReceiver } from './receiver.ts';

const child = fileURLToPath(new URL('child.ts', import.meta.url));
const folder = newFolder();
let server: SharedPostgres;
beforeAll(async () => {
  server = await sharedPostgres();
});

const gateways = new Set<ChildProcess>();
afterEach(() => {
  for (const gateway of gateways) gateway.kill('SIGKILL');
});

/** Starts a gateway, and kills it when it has said that it is ready and `when` has resolved. */
async function killWhen(args: readonly string[], when: () => Promise<unknown>): Promise<void> {
  const gateway = spawn(process.execPath, [child, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  gateways.add(gateway);
  const exited = once(gateway, 'exit');
  await once(gateway.stdout, 'data');
  await when();
  gateway.kill('SIGKILL');
  await exited;
  gateways.delete(gateway);
}

/** What the receiver took, by task: the positions of events, each where it came first, and how many came again. */
class Taken {
  readonly byTask = new Map<string, number[]>();
  total = 0;
  again = 0;
  /** Of another event than the next one. */
  disordered = 0;

  take(body: { task?: { id: string }; statusUpdate?: { taskId: string }; artifactUpdate?: Chunk }): void {
    const id = body.task?.id ?? body.statusUpdate?.taskId ?? body.artifactUpdate?.taskId ?? '';
    const text = body.artifactUpdate?.artifact.parts[0]?.text;
    const position = body.task ? -1 : text === undefined ? Number.POSITIVE_INFINITY : Number(text);
    const seen = this.byTask.get(id) ?? [];
    this.byTask.set(id, seen);
    if (seen.includes(position)) this.again += 1;
    else {
      const expected = seen.length - 1;
      if (position !== expected && position !== Number.POSITIVE_INFINITY) this.disordered += 1;
      seen.push(position);
      this.total += 1;
    }
  }
}

interface Chunk {
  readonly taskId: string;
  readonly artifact: { readonly parts: readonly { readonly text: string }[] };
}

/** Events of one task. */
const each = 50;

/** A receiver that fails half of the time, and what it took the other half. */
async function fickle(): Promise<{ receiver: Receiver; taken: Taken; reach: (total: number) => Promise<void> }> {
  const taken = new Taken();
  let reached: (() => void) | undefined;
  let wanted = Number.POSITIVE_INFINITY;
  const receiver = await startReceiver(({ body }) => {
    if (Math.random() < 0.5) return 503;
    taken.take(body);
    if (taken.total >= wanted) reached?.();
    return 204;
  });
  const reach = async (total: number): Promise<void> => {
    const { promise, resolve } = Promise.withResolvers<void>();
    wanted = total;
    reached = resolve;
    if (taken.total < total) await promise;
  };
  return { receiver, taken, reach };
}

it.each<[number, string, () => Promise<string>]>([
  [4_000, 'SQLite', async () => `sqlite:${join(folder, 'gateway.db')}`],
  [1_000, 'PostgreSQL', () => server.database()],
])(
  'none of %i events to a receiver that fails half of the time is lost when gateways are killed (%s)',
  async (all, _, place) => {
    const url = await place();
    const { receiver, taken, reach } = await fickle();
    const made = [url, receiver.url, String(all / each), String(each)];
    await killWhen(made, () => reach(all * 0.3));
    const silence = (): Promise<unknown> =>
      url.startsWith('postgres') ? query(url, 'update gateway set heartbeat = heartbeat - 60000') : Promise.resolve();
    await silence();
    await killWhen([url], () => reach(all * 0.6));
    await silence();
    await killWhen([url], () => reach(all));
    expect(taken.byTask.size).toBe(all / each);
    for (const positions of taken.byTask.values()) {
      expect(positions).toEqual([-1, ...Array.from({ length: each - 2 }, (_, i) => i), Number.POSITIVE_INFINITY]);
    }
    expect(taken).toMatchObject({ total: all, disordered: 0 });
    // What was under way when a gateway was killed may have come twice, and no more than that.
    expect(taken.again).toBeLessThan(200);
  },
  paced(120_000),
);
