import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { newKey } from '../../../src/auth/hash.ts';
import type { RequestOf, ResponseOf } from '../../../src/gen/admin-v1/operations.ts';
import { askAdmin, callsOf } from '../../support/admin.ts';
import { printed, startCli } from '../../support/cli.ts';
import { newFolder } from '../../support/folders.ts';
import { paced } from '../../support/pace.ts';
import { sharedPostgres } from '../../support/postgres.ts';

/** Calls and their numbers of two replicas, of which one is killed. */

const [alice, operator] = [newKey(), newKey()];
const folder = newFolder();

beforeAll(sharedPostgres);

interface Replica {
  readonly child: ChildProcess;
  readonly url: string;
}

async function start(config: string): Promise<Replica> {
  const child = startCli(['serve', '--config', config]);
  const [url = ''] = /http:\/\/[\w.]+:\d+/.exec(await printed(child, /http:\/\/[\w.]+:\d+/)) ?? [];
  return { child, url };
}

const listOf = (url: string, request: RequestOf<'ListCalls'>): Promise<ResponseOf<'ListCalls'>> =>
  askAdmin(url, 'ListCalls', request, { 'x-api-key': operator.key });
const numbersOf = (url: string): Promise<ResponseOf<'ListNumbers'>> =>
  askAdmin(url, 'ListNumbers', { by: ['NUMBER_GROUPING_PRINCIPAL'] }, { 'x-api-key': operator.key });

it(
  'a replica that is killed keeps what it had written, each call once, and answers say what may be missing',
  async () => {
    const config = join(folder, 'gateway.yaml');
    await writeFile(
      config,
      `listen: { port: 0 }
store: ${await (await sharedPostgres()).migrated()}
auth:
  anonymous: false
  apiKeys:
    - { name: alice, hash: "${alice.hash}" }
    - { name: operator, hash: "${operator.hash}", scopes: [admin] }
agents: { demo: { kind: reference } }
`,
    );
    const one = await start(config);
    const two = await start(config);
    const fail = async ({ url }: Replica): Promise<unknown> =>
      callsOf(url, { 'x-api-key': alice.key }).request('/tasks/none');
    for (const replica of [one, two, two]) await fail(replica);
    const failed = { outcome: 'CALL_OUTCOME_FAILED' as const, principal: 'key:alice' };
    const before = await listOf(one.url, failed);
    expect(before).toMatchObject({ missingReplicas: [], gaps: [] });
    expect(new Set(before.calls?.map(({ replica }) => replica)).size).toBe(2);
    const killedAt = Date.now();
    two.child.kill('SIGKILL');
    await once(two.child, 'exit');

    const after = await listOf(one.url, failed);
    expect(after.calls).toEqual(before.calls);
    expect(after.keptSince).toBe(before.keptSince);
    expect(after.gaps).toMatchObject([{ replica: before.calls?.[0]?.replica }]);
    expect(Date.parse(after.gaps?.[0]?.from ?? '')).toBeLessThanOrEqual(killedAt);
    expect(Date.parse(after.gaps?.[0]?.until ?? '')).toBeGreaterThanOrEqual(killedAt);
    expect(Date.parse(after.completeSince ?? '')).toBeGreaterThanOrEqual(killedAt);

    const again = await start(config);
    await fail(again);
    const last = await listOf(again.url, failed);
    expect(last.calls?.slice(1)).toEqual(before.calls);
    expect(last.calls).toHaveLength(4);
    expect(Date.parse(last.completeSince ?? '')).toBeGreaterThanOrEqual(killedAt);
    const { groups = [] } = await numbersOf(again.url);
    expect(groups.map(({ principal, numbers }) => [principal, numbers?.calls, numbers?.failed])).toContainEqual([
      'key:alice',
      4,
      4,
    ]);
  },
  paced(120_000),
);
