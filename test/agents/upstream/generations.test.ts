import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createReferenceAgent } from '../../../src/agents/reference.ts';
import { anonymous } from '../../../src/auth/anonymous.ts';
import { callContext } from '../../../src/client/caller.ts';
import { allDialects, type DialectName } from '../../../src/client/index.ts';
import { parseConfig } from '../../../src/config/parse.ts';
import type { OperationName, Task } from '../../../src/core/model/a2a.ts';
import { type CallContext, isStream } from '../../../src/core/model/call.ts';
import { previews } from '../../../src/dialects/registry.ts';
import { invokeOf } from '../../../src/transports/rpc/mount.ts';
import { userMessage } from '../../support/core.ts';
import { openGateway } from '../../support/gateway.ts';
import { type Bridge, startBridge } from '../../support/upstreams.ts';

/** Agents of every dialect gain generations, conditional messages and long polls: the gateway keeps their tasks. */

const dialects = allDialects().map(({ name }) => name);
let agent: Awaited<ReturnType<typeof openGateway>>;
let bridge: Bridge;
/** The number of messages that the agent has received. */
let executed = 0;

beforeAll(async () => {
  const reference = createReferenceAgent();
  const counting = {
    ...reference,
    execute: (...args: Parameters<typeof reference.execute>) => {
      executed += 1;
      return reference.execute(...args);
    },
  };
  const text = `listen: { host: localhost, port: 0 }\nstore: "memory:"\npreview: [${previews.join(', ')}]\n`;
  const config = parseConfig(text, { file: '/agent.yaml' });
  agent = await openGateway({ ...config, defaultAgent: 'agent' }, { agents: { agent: counting } });
  const upstreams = dialects.map((dialect) => [dialect, { url: `${agent.url}/agent/as/${dialect}`, dialect }] as const);
  bridge = await startBridge(Object.fromEntries(upstreams));
});
afterAll(async () => {
  await agent?.gateway.close({ drainMs: 0 });
});

describe.each(dialects)('a task at an agent of %s', (name: DialectName) => {
  async function call(operation: OperationName, request: object, over: Partial<CallContext> = {}) {
    const context = { ...callContext(name, '', {}), principal: anonymous, ...over };
    return invokeOf(bridge.gateway)({ operation, request: request as never, context });
  }

  async function read(operation: OperationName, request: object) {
    const reply = await call(operation, request);
    if (isStream(reply)) throw new TypeError('a stream');
    const { task = reply.value as Task } = reply.value as { task?: Task };
    return { task, generation: reply.facts?.generation ?? 0 };
  }

  test(`a task at an agent of ${name} has a generation for each event, which messages can expect and callers can wait for`, async () => {
    const { task, generation } = await read('SendMessage', { message: userMessage('ask') });
    expect(task.status.state).toBe('TASK_STATE_INPUT_REQUIRED');
    expect(generation).toBeGreaterThan(0);

    const message = userMessage('Ada', { taskId: task.id });
    const before = executed;
    const wrong = { message, configuration: { ifGenerationMatch: `${generation - 1}` } };
    await expect(read('SendMessage', wrong)).rejects.toMatchObject({ kind: 'taskGenerationMismatch' });
    expect(executed).toBe(before);

    const waiting = read('GetTask', { id: task.id, currentGeneration: `${generation}` });
    const right = { message, configuration: { ifGenerationMatch: `${generation}` } };
    const done = await read('SendMessage', right);
    expect(done.task.status.state).toBe('TASK_STATE_COMPLETED');
    expect(executed).toBe(before + 1);
    expect((await waiting).generation).toBeGreaterThan(generation);

    const replay = await call('SubscribeToTask', { id: task.id }, { replay: { after: 0 } });
    if (!isStream(replay)) throw new TypeError('no stream');
    const generations: number[] = [];
    for await (const { generation: counted, json } of replay.events) {
      generations.push(counted);
      // An agent's own generations are not stored.
      expect(json).not.toContain('generation');
    }
    expect(generations).toEqual(generations.map((_, i) => i + 1));
    expect(done.generation).toBe(generations.length);
  });
});
