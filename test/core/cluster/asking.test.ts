import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { readQuestionReply, writeQuestion } from '../../../src/core/cluster/replica-requests.ts';
import type { GetMetricsResponse, ListAgentsResponse, ListCallsResponse } from '../../../src/gen/admin-v1/types.ts';
import { callsOf } from '../../support/admin.ts';
import { paced } from '../../support/pace.ts';
import { afterTest } from '../../support/peer.ts';
import { sharedPostgres, silence } from '../../support/postgres.ts';
import { startReplica } from '../../support/replicas.ts';
import { counter } from './agents.ts';

/** Calls of all replicas as operators see them at one replica, while another one is paused, killed or of an earlier version. */

let url: string;
beforeAll(sharedPostgres);
beforeEach(async () => {
  url = await (await sharedPostgres()).migrated();
});

const list = (at: ReturnType<typeof callsOf>): Promise<ListCallsResponse> =>
  at.get<ListCallsResponse>('/admin/v1/calls?operation=GetTask');

/** Name of the replica and id of the task of each call. */
const shown = ({ calls = [] }: ListCallsResponse): string[] =>
  calls.map(({ replica = '', taskId = '' }) => `${replica.split('/')[0]} ${taskId}`).sort();

test('a replica that is paused, then killed, is named as missing, and its calls do not count as none', async () => {
  const one = await startReplica(url, 'one', { agents: { counter: counter() } });
  const script = fileURLToPath(new URL('child.ts', import.meta.url));
  const child = spawn(process.execPath, [script, url], { stdio: ['ignore', 'pipe', 'inherit'] });
  afterTest(() => child.kill('SIGKILL'));
  const [line] = await once(createInterface({ input: child.stdout }), 'line');
  const here = callsOf(one.url);
  await here.request('/counter/tasks/here');
  await callsOf(line).request('/counter/tasks/there');
  // A replica that is busy may be late with its answer.
  const bothAnswer = () =>
    vi.waitFor(async () => {
      const both = await list(here);
      expect(shown(both)).toEqual(['child there', 'one here']);
      expect(both.missingReplicas ?? []).toEqual([]);
    });
  await bothAnswer();

  child.kill('SIGSTOP');
  const paused = await list(here);
  // Calls that a replica has written are listed without it.
  expect(shown(paused)).toContain('one here');
  expect(paused.missingReplicas).toEqual([expect.stringMatching(/^child\//)]);
  const others = ['agents', 'callers', 'losses', 'metrics?names=a2a_gateway_store_up'].map((path) =>
    here.get<ListAgentsResponse | GetMetricsResponse>(`/admin/v1/${path}`),
  );
  for (const answer of await Promise.all(others)) expect(answer.missingReplicas).toEqual(paused.missingReplicas);

  child.kill('SIGCONT');
  await bothAnswer();

  child.kill('SIGKILL');
  await once(child, 'exit');
  expect((await list(here)).missingReplicas).toHaveLength(1);
  await silence(url, 'child');
  expect((await list(here)).missingReplicas ?? []).toEqual([]);
});

test('a replica of an earlier version refuses a question, and is named as missing', async () => {
  const one = await startReplica(url, 'one');
  await startReplica(url, 'other');
  const [target] = (await one.store.replicas()).filter(({ isThis }) => !isThis);
  // It knows nothing of this field, and takes the question for a call.
  const { isQuestion: _, ...asCall } = JSON.parse(writeQuestion('ListCalls', {}, 1_000));
  const request = { key: 'ListCalls', body: JSON.stringify(asCall) };
  const reply = await one.store.peers.forward(target?.id ?? '', request, AbortSignal.timeout(paced(5_000)));
  expect(JSON.parse(reply)).toMatchObject({ error: { kind: 'agentNotFound' } });
  expect(() => readQuestionReply(reply)).toThrow(expect.objectContaining({ kind: 'unavailable' }));
});
