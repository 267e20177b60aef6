import { describe, expect, it } from 'vitest';
import type { Message } from '../../../src/core/model/a2a.ts';
import { startBridge } from '../../support/upstreams.ts';
import { startScripted, statusOf, taskOf } from './scripted-agent.ts';

/** An agent that opens a task, and then ends its stream with an error. */

const refusal = { code: -32008, message: 'Say which extension you need' };

/** An agent whose task is as the state says when it is asked for it. */
async function refusing(state: string, said?: Message) {
  const agent = await startScripted({
    SendStreamingMessage({ events, errorEvent, end }) {
      events({ task: taskOf('SUBMITTED') });
      errorEvent(refusal.code, refusal.message);
      end();
    },
    GetTask({ result }) {
      const task = taskOf(state);
      result({ ...task, status: { ...task.status, ...(said && { message: said }) } });
    },
  });
  const bridge = await startBridge({ up: { url: agent.url } });
  return { agent, client: await bridge.client('up') };
}

const textOf = (message: Message | undefined): string => message?.parts.map(({ text }) => text).join() ?? '';

describe('a task that has failed with an error in its stream', () => {
  it('has the text of the error where the agent keeps no message', async () => {
    const { client } = await refusing('FAILED');
    const { task } = await client.send('go');
    expect(task?.status.state).toBe('TASK_STATE_FAILED');
    expect(textOf(task?.status.message)).toContain(refusal.message);
    const { status } = await client.getTask({ id: task?.id ?? '' });
    expect(textOf(status.message)).toContain(refusal.message);
  });

  it('has the message of the agent where there is one', async () => {
    const { statusUpdate } = statusOf('FAILED', 'I cannot do that');
    const { client } = await refusing('FAILED', statusUpdate?.status.message);
    const { task } = await client.send('go');
    expect(textOf(task?.status.message)).toBe('I cannot do that');
  });

  it('is completed without it where the agent went on all the same', async () => {
    const { client } = await refusing('COMPLETED');
    const { task } = await client.send('go');
    expect([task?.status.state, task?.status.message]).toEqual(['TASK_STATE_COMPLETED', undefined]);
  });
});
