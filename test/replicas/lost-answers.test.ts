import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { beforeAll, expect, test } from 'vitest';
import { defineAgent, status, textOf } from '../../src/agents/define.ts';
import { createReferenceAgent } from '../../src/agents/reference.ts';
import { paced } from '../support/pace.ts';
import { afterTest } from '../support/peer.ts';
import { query, sharedPostgres } from '../support/postgres.ts';
import { startReplica } from '../support/replicas.ts';
import { DatabaseLink } from '../torture/database-link.ts';

/** Commits whose answers are lost while the gateway, its agents and the database live on. */

beforeAll(sharedPostgres);

/** Statements that write or commit tasks: of those after the first ones, which open the tasks, every third one is lost. */
const [opening, lossy] = [34, 64];

test.for([
  ['reset', 'lost after the database has committed'],
  ['unsent', 'prevented by a connection that breaks'],
] as const)(
  'no message is carried out twice, and those with a key are answered, while commits are %s: %s',
  {
    timeout: paced(120_000),
  },
  async ([fate]) => {
    const url = await (await sharedPostgres()).database();
    const { port } = new URL(url);
    const link = await DatabaseLink.open(Number(port), () => 0);
    afterTest(() => link.close());
    const upstream = await startReplica('memory:', 'upstream', { agents: { agent: createReferenceAgent() } });
    const runs = new Map<string, number>();
    const local = defineAgent({
      name: 'Local',
      description: 'Answers at once, directly, or after a while',
      async *execute({ message, signal }) {
        const text = textOf(message);
        runs.set(text, (runs.get(text) ?? 0) + 1);
        if (text.startsWith('message')) {
          yield { message: { messageId: randomUUID(), role: 'ROLE_AGENT', parts: [{ text }] } };
          return;
        }
        if (text.startsWith('slow')) {
          yield status('TASK_STATE_WORKING', text);
          await delay(3_000, undefined, { signal });
        }
        yield status('TASK_STATE_COMPLETED', text);
      },
    });
    const config = `agents:\n  front: { kind: upstream, url: "${upstream.url}/agent" }\n`;
    const options = { config, agents: { local } };
    const one = await startReplica(url.replace(`:${port}`, `:${link.port}`), 'one', options);
    // It would take over what the first one gave up.
    await startReplica(url, 'two', options);

    const send = async (agent: string, text: string, key?: string, messageId = randomUUID()): Promise<string> => {
      const message = { messageId, role: 'ROLE_USER', parts: [{ text }] };
      const response = await fetch(`${one.url}/${agent}/message:send`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'a2a-version': '1.0', ...(key && { 'idempotency-key': key }) },
        body: JSON.stringify({ message }),
      });
      const body = await response.text();
      // A busy gateway may not find out in time what became of a commit: callers with a key ask again.
      if (response.status === 503 && key !== undefined) return delay(500).then(() => send(agent, text, key, messageId));
      return response.ok && /"TASK_STATE_COMPLETED"|"ROLE_AGENT"/.test(body)
        ? 'answered'
        : `${response.status} ${body}`;
    };
    let commits = 0;
    link.fateOf = (statement) => {
      if (!/^\s*commit|insert into task\b/.test(statement)) return 'passed';
      commits += 1;
      return commits > opening && commits <= lossy && commits % 3 === 0 ? fate : 'passed';
    };
    // All at once: most of them are written together.
    const sent = new Map<string, Promise<string>>();
    for (let i = 0; i < 4; i += 1) {
      for (const kind of ['at once', 'message', 'slow']) {
        sent.set(`${kind} ${i}`, send('local', `${kind} ${i}`));
        sent.set(`${kind} ${i} keyed`, send('local', `${kind} ${i} keyed`, `local-${kind.at(0)}-${i}`));
      }
      sent.set(`front ${i}`, send('front', 'stream 5 400'));
      sent.set(`front ${i} keyed`, send('front', 'stream 5 400', `front-${i}`));
    }
    const answers = new Map<string, string>();
    for (const [text, answer] of sent) answers.set(text, await answer);
    link.fateOf = () => 'passed';
    const failed = [...answers].filter(([, answer]) => answer !== 'answered');
    expect(failed.filter(([text, answer]) => text.endsWith('keyed') || !answer.startsWith('503 '))).toEqual([]);
    expect([...runs].filter(([, times]) => times !== 1)).toEqual([]);
    expect(runs.size).toBeGreaterThanOrEqual(24 - failed.length);
    expect(link.fates.get(fate)).toBeGreaterThan(2);
    await expect.poll(() => query(url, 'select key from task where owner is not null')).toEqual([]);
    expect(await query(url, 'select distinct state from task')).toEqual([{ state: 'COMPLETED' }]);
  },
);
