import { expect, it } from 'vitest';
import type { AgentContext } from '../../../../src/core/model/agent.ts';
import { resumeToolCall } from '../../../../src/extensions/mcp/client/call.ts';
import type { ToolCallDeps } from '../../../../src/extensions/mcp/client/follow.ts';
import { createHeldCalls } from '../../../../src/extensions/mcp/client/running-call.ts';

/** Tool calls of a process that died: what is kept of the call, and the turn in which it did so, say how the next one goes on. */

const text = { type: 'string' };
const params = {
  message: 'Where?',
  requestedSchema: { type: 'object', properties: { street: text, zip: text }, required: ['street', 'zip'] },
};
/** A call that has asked for an address in the turn of the message at position 3. */
const asked = {
  request: { server: 'it', tool: 'go', arguments: {} },
  server: 'it',
  name: 'go',
  turn: 3,
  round: 1,
  questions: { address: params },
  responses: {},
  partial: {},
};

/** The states and texts that the run ends with, and what it keeps. */
async function resume(kept: Record<string, object>, turn: number, answer?: string) {
  const values = new Map(Object.entries(kept));
  const task = {
    get: async (key: string) => values.get(key),
    set: async (key: string, value: object) => void values.set(key, value),
    delete: async (key: string) => void values.delete(key),
  };
  const principal = { id: 'ada' };
  const context = {
    key: 'k',
    principal,
    turn,
    hops: 0,
    task: {},
    signal: new AbortController().signal,
    state: { task },
  };
  const message = { messageId: 'm', role: 'ROLE_USER' as const, parts: [{ text: answer ?? '' }] };
  const unanswered = answer === undefined ? undefined : { request: { message }, at: 0, age: 0 };
  const deps = { servers: [], held: createHeldCalls(), answering: new Set() } as unknown as ToolCallDeps;
  const seen: string[] = [];
  for await (const { statusUpdate } of resumeToolCall(context as unknown as AgentContext, unanswered, deps))
    seen.push(`${statusUpdate?.status.state.slice(11)} ${statusUpdate?.status.message?.parts[0]?.text ?? ''}`);
  return { last: seen.at(-1), kept: values };
}

it('a call of which nothing is kept fails, since the tool may have done its work', async () => {
  expect((await resume({}, 1)).last).toMatch(/^FAILED .*is not known, and it was not called again/);
});

it('a question that was kept in this turn is asked again, whatever the message said', async () => {
  const first = 'INPUT_REQUIRED Where?\nFirst: street';
  expect((await resume({ asked }, 3)).last).toBe(first);
  expect((await resume({ asked }, 3, 'Main Street')).last).toBe(first);
});

it('a message that was not read answers the question of an earlier turn', async () => {
  const { last, kept } = await resume({ asked }, 5, 'Main Street');
  expect(last).toBe('INPUT_REQUIRED Where?\nFirst: zip');
  expect(kept.get('asked')).toMatchObject({ turn: 5, partial: { street: 'Main Street' } });
});

it('a question of a session that is gone, or of a server that is not configured any more, fails with the reason', async () => {
  expect((await resume({ asked: { ...asked, held: true } }, 3)).last).toMatch(/^FAILED .*MCP_SESSION_LOST/);
  const polled = { ...asked, questions: {}, polled: { id: 'one', until: Date.now() + 60_000, answered: [] } };
  expect((await resume({ polled }, 3)).last).toMatch(/^FAILED .*"it" that runs the call is no longer configured/);
});
