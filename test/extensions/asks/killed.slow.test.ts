import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { artifact, defineAgent } from '../../../src/agents/define.ts';
import { newKey } from '../../../src/auth/hash.ts';
import { askAdmin } from '../../support/admin.ts';
import { printed, startCli } from '../../support/cli.ts';
import { newFolder } from '../../support/folders.ts';
import { openGateway } from '../../support/gateway.ts';
import { paced } from '../../support/pace.ts';
import { query, sharedPostgres } from '../../support/postgres.ts';

/** Many calls that wait for people, at replicas that are killed. */

const calls = 1_000;
const folder = newFolder();
const boss = newKey();

beforeAll(async () => {
  await sharedPostgres();
});

/** A replica of a configuration, which is killed and started again. */
class Mortal {
  readonly #config: string;
  #child: ChildProcess | undefined;
  origin = '';

  constructor(config: string) {
    this.#config = config;
  }

  async start(): Promise<void> {
    this.#child = startCli(['serve', '--config', this.#config]);
    [this.origin = ''] = /http:\/\/[\w.]+:\d+/.exec(await printed(this.#child, /http:\/\/[\w.]+:\d+/)) ?? [];
  }

  async killAndStart(): Promise<void> {
    const child = this.#child ?? expect.fail('it does not run');
    child.kill('SIGKILL');
    await once(child, 'exit');
    await this.start();
  }
}

/** Repeats what fails since a replica is away, at the other one. */
async function patiently<T>(
  replicas: readonly Mortal[],
  number: number,
  use: (origin: string) => Promise<T>,
): Promise<T> {
  for (let attempt = number; ; attempt += 1) {
    const { origin } = replicas[attempt % replicas.length] ?? expect.fail('no replica');
    try {
      return await use(origin);
    } catch (thrown) {
      const isAway = thrown instanceof TypeError || /unavailable|UNAVAILABLE|"code":50[234]/.test(String(thrown));
      if (!isAway || attempt > number + 200) throw thrown;
      await new Promise<void>((resolve) => setImmediate(resolve));
    }
  }
}

/** Carries out work for all numbers, so many at a time. `at`: called when half of it is done. */
async function all(work: (number: number) => Promise<void>, at: () => Promise<void>): Promise<void> {
  let next = 0;
  let half: Promise<void> | undefined;
  const worker = async (): Promise<void> => {
    while (next < calls) {
      next += 1;
      if (next === calls / 2) half = at();
      await work(next);
    }
  };
  await Promise.all(Array.from({ length: 16 }, worker));
  await half;
}

it(
  'a thousand calls that wait for people outlive replicas that are killed, and reach their agent when people agree, once each',
  async () => {
    const executed = new Map<string, number>();
    const counting = defineAgent({ name: 'Counting', description: 'Counts what it gets' }, ({ text }) => {
      executed.set(text, (executed.get(text) ?? 0) + 1);
      return artifact({ name: text, content: text });
    });
    const { url: agent } = await openGateway('', { agents: { counting } });
    const store = await (await sharedPostgres()).migrated();
    const config = join(folder, 'gateway.json');
    const settings = {
      listen: { host: '127.0.0.1', port: 0 },
      store,
      auth: { anonymous: true, apiKeys: [{ name: 'boss', hash: boss.hash, scopes: ['questions'] }] },
      limits: { requestsPerMinute: 'unlimited' },
      outbound: { allow: ['127.0.0.1'] },
      agents: { careful: { kind: 'upstream', url: `${agent}/counting` } },
      policies: [{ name: 'pay', ask: { of: ['boss'], until: '1h' } }],
    };
    await writeFile(config, JSON.stringify(settings));
    const replicas = [new Mortal(config), new Mortal(config)] as const;
    await Promise.all(replicas.map((replica) => replica.start()));

    const held = new Map<number, string>();
    await all(
      async (number) => {
        const message = { messageId: `m${number}`, role: 'ROLE_USER', parts: [{ text: `pay ${number}` }] };
        const answer = await patiently(replicas, number, async (origin) => {
          const response = await fetch(`${origin}/careful/message:send`, {
            method: 'POST',
            headers: { 'content-type': 'application/json', 'a2a-version': '1.0', 'idempotency-key': `key-${number}` },
            body: JSON.stringify({ message }),
          });
          const text = await response.text();
          if (!response.ok) throw new Error(text);
          return JSON.parse(text) as { task: { id: string; status: { state: string } } };
        });
        expect(answer.task.status.state).toBe('TASK_STATE_AUTH_REQUIRED');
        held.set(number, answer.task.id);
      },
      () => replicas[0].killAndStart(),
    );
    expect(new Set(held.values()).size).toBe(calls);
    expect(executed.size).toBe(0);

    const headers = { 'x-api-key': boss.key };
    await all(
      async (number) => {
        const key = held.get(number) ?? expect.fail('not held');
        await patiently(replicas, number, (origin) =>
          askAdmin(origin, 'AnswerQuestion', { key, parts: [{ data: { decision: 'approve' } }] }, headers).catch(
            (thrown: unknown) => {
              // An attempt before this one was carried out.
              if (!/answered already, by key:boss/.test(String(thrown))) throw thrown;
            },
          ),
        );
      },
      () => replicas[1].killAndStart(),
    );
    const states = async () => query(store, 'select state, count(*) as n from task group by state order by state');
    for (let rows = await states(); rows.some(({ state }) => !ended.has(String(state))); rows = await states())
      await new Promise<void>((resolve) => setImmediate(resolve));
    expect([...executed.values()].filter((count) => count !== 1)).toEqual([]);
    expect(executed.size).toBe(calls);
    expect(await states()).toEqual([{ state: 'COMPLETED', n: String(calls) }]);
  },
  paced(240_000),
);

const ended: ReadonlySet<string> = new Set(['COMPLETED', 'FAILED', 'CANCELED', 'REJECTED']);
