import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { connect } from '../../../src/client/index.ts';
import type { Task } from '../../../src/core/model/a2a.ts';
import { fold } from '../../../src/core/model/fold.ts';
import { dialectBindings } from '../../support/conversations.ts';
import { type Running, startGateway } from '../../support/gateway.ts';

/**
 * The gateway is killed while agents of every generation, over every binding, are at work, and goes on with all of them.
 * New dialects and bindings join by themselves.
 */

const chunks = 30;
const nameOf = ({ as, via }: (typeof dialectBindings)[number]): string => `${as}-${via}`.replaceAll('.', '-');

let agent: Running;
let folder = '';
const children: ChildProcess[] = [];
const ids = new Map<string, string>();
let origin = '';

async function start(): Promise<ChildProcess> {
  const settings = Object.fromEntries(
    dialectBindings.map((protocol) => {
      const url = `${agent.origin}/as/${protocol.as}/.well-known/agent-card.json`;
      return [nameOf(protocol), { url, dialect: protocol.as, transport: protocol.via }];
    }),
  );
  const script = fileURLToPath(new URL('process.ts', import.meta.url));
  const child = fork(script, [`sqlite:${join(folder, 'gateway.db')}`, JSON.stringify(settings)], { stdio: 'inherit' });
  children.push(child);
  const [started] = await once(child, 'message', { signal: AbortSignal.timeout(20_000) });
  ({ origin } = started as { origin: string });
  return child;
}

async function with10<T>(name: string, use: (client: Awaited<ReturnType<typeof connect>>) => Promise<T>): Promise<T> {
  const client = await connect(`${origin}/${name}`, { as: 'a2a-1.0', via: 'jsonrpc' });
  try {
    return await use(client);
  } finally {
    await client.close();
  }
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'a2a-gateway-killed-'));
  agent = await startGateway();
  const first = await start();
  await Promise.all(
    dialectBindings.map((protocol) =>
      with10(nameOf(protocol), async (client) => {
        for await (const { task, artifactUpdate } of client.sendStream(`stream ${chunks} 60`)) {
          if (task) ids.set(nameOf(protocol), task.id);
          if (artifactUpdate) return;
        }
      }),
    ),
  );
  first.kill('SIGKILL');
  await once(first, 'exit');
  await start();
}, 60_000);

afterAll(async () => {
  for (const child of children) child.kill('SIGKILL');
  await agent.close();
  await rm(folder, { recursive: true, force: true });
});

describe.each(dialectBindings.map(nameOf))('a task of %s whose gateway is killed', (name) => {
  it('is continued to its end, with each event once', async () => {
    const id = ids.get(name) ?? expect.fail('no task');
    await with10(name, async (client) => {
      let folded: Task | undefined;
      for await (const event of client.stream('SubscribeToTask', { id }, { after: 0 })) {
        folded = fold(folded, structuredClone(event));
      }
      const task = await client.getTask({ id });
      expect(folded).toEqual(task);
      expect(task.status.state).toBe('TASK_STATE_COMPLETED');
      const text = (task.artifacts ?? []).flatMap(({ parts }) => parts.map((part) => part.text)).join('');
      expect(text).toBe(Array.from({ length: chunks }, (_, i) => `chunk ${i + 1}`).join(''));
      expect(task.artifacts).toHaveLength(1);
    });
  });
});
