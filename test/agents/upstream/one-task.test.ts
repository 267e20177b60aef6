import { describe, expect, it } from 'vitest';
import type { Client } from '../../../src/client/index.ts';
import type { Message, StreamResponse, Task } from '../../../src/core/model/a2a.ts';
import { fold } from '../../../src/core/model/fold.ts';
import { errors, events, framings } from '../../support/hostile-agent.ts';
import { hasty, startBridge } from '../../support/upstreams.ts';
import { bridged, tell } from './hostile-bridge.ts';
import { chunkOf, ids, type Script, startScripted, statusOf, taskOf } from './scripted-agent.ts';

/** Streams of bridged agents have one Task, with which they begin, whatever the agent sends. */

const { task, status, chunk } = events;

async function bridgeTo(keep: 'tasks' | 'none', scripts: Readonly<Record<string, Script>>): Promise<Client> {
  const agent = await startScripted(scripts);
  const bridge = await startBridge({ far: { url: agent.url, bounds: hasty, keep } });
  return bridge.client('far');
}

const said = (text: string): Message => ({ messageId: `said-${text}`, role: 'ROLE_AGENT', parts: [{ text }], ...ids });

const textOf = (parts: readonly { readonly text?: string }[] = []): string => parts.map(({ text }) => text).join('');

/** One word per event: its kind, and what it says. */
const outline = (all: readonly StreamResponse[]): string[] =>
  all.map(({ task, statusUpdate, artifactUpdate }) => {
    if (artifactUpdate) return `artifact ${textOf(artifactUpdate.artifact.parts)}`;
    const { state = '', message } = task?.status ?? statusUpdate?.status ?? {};
    return `${task ? 'task ' : ''}${state.slice('TASK_STATE_'.length)} ${textOf(message?.parts)}`.trim();
  });

async function streamOf(client: Client): Promise<StreamResponse[]> {
  const seen: StreamResponse[] = [];
  for await (const event of client.sendStream('go')) seen.push(event);
  return seen;
}

const foldOf = (all: readonly StreamResponse[]): Task | undefined =>
  all.reduce((known: Task | undefined, event) => fold(known, structuredClone(event)), undefined);

describe.each(['tasks', 'none'] as const)(
  'an agent with `keep: %s` that reports its whole task several times',
  (keep) => {
    const parts = [{ text: 'one ' }, { text: 'two' }];
    const grown = taskOf('WORKING', {
      history: [said('Looking')],
      artifacts: [{ artifactId: 'a', parts }],
      metadata: { progress: 50 },
    });

    it(`an agent with \`keep: ${keep}\` that reports its whole task several times is a stream of updates after its first task`, async () => {
      const client = await bridgeTo(keep, {
        SendStreamingMessage({ events, end }) {
          events({ task: taskOf('SUBMITTED') }, statusOf('WORKING'), chunkOf('one ', false));
          events({ task: grown }, { task: grown });
          events({ task: taskOf('COMPLETED', { artifacts: grown.artifacts ?? [] }) });
          end();
        },
      });
      const seen = await streamOf(client);
      expect(outline(seen)).toEqual([
        'task SUBMITTED',
        'WORKING',
        'artifact one ',
        'WORKING Looking',
        'artifact two',
        'WORKING',
        'COMPLETED',
      ]);
      const folded = foldOf(seen);
      expect(folded).toMatchObject({ artifacts: [{ parts }], metadata: { progress: 50 } });
      expect(folded?.history?.map((one) => textOf(one.parts)).at(-1)).toBe('Looking');
    });

    it(`an agent with \`keep: ${keep}\` that reports its whole task several times reports in metadata what no update has a place for`, async () => {
      const question = statusOf('INPUT_REQUIRED', 'Which?', 'question').statusUpdate?.status as Task['status'];
      const asking = { ...taskOf('INPUT_REQUIRED'), status: question };
      const client = await bridgeTo(keep, {
        SendStreamingMessage({ events, end }) {
          events({ task: taskOf('WORKING') }, { task: { ...asking, history: [{ ...said('I'), role: 'ROLE_USER' }] } });
          end();
        },
      });
      const seen = await streamOf(client);
      expect(outline(seen)).toEqual(['task WORKING', 'INPUT_REQUIRED Which?']);
      expect(foldOf(seen)?.history?.map((one) => textOf(one.parts))).toContain('I');
      const fields = seen[1]?.statusUpdate?.metadata?.['a2a-gateway/task'] as Task | undefined;
      expect(fields?.history?.map(({ messageId }) => messageId)).toContain('said-I');
    });
  },
);

describe.each(framings)('an agent of %s whose stream breaks and whose new stream begins with the task', (speech) => {
  it(`an agent of ${speech} whose stream breaks and whose new stream begins with the task is one stream with one task and the updates that were missed`, async () => {
    const { agent, client } = await bridged(speech, [
      async (exchange) => {
        await tell(agent, exchange)(task(), status('WORKING'), chunk('one ', false));
        agent.happen(status('WORKING', 'Halfway'));
        agent.happen(chunk('two '));
        exchange.reset();
      },
      async (exchange) => {
        if (speech !== 'agentvault') await exchange.tell({ task: agent.truth });
        await tell(agent, exchange)(status('COMPLETED'));
        exchange.end();
      },
    ]);
    const seen = await streamOf(client);
    expect(seen.map(({ task }) => task !== undefined)).toEqual(seen.map((_, at) => at === 0));
    // AgentVault has no chunks.
    const missed = speech === 'agentvault' ? 'artifact one two ' : 'artifact two ';
    expect(outline(seen)).toEqual(expect.arrayContaining(['WORKING Halfway', missed, 'COMPLETED']));
    const id = seen[0]?.task?.id ?? expect.fail('no task');
    expect(foldOf(seen)).toEqual(await client.getTask({ id }));
  });

  it(`an agent of ${speech} whose stream breaks and whose new stream begins with the task is one task with updates for a subscriber, too`, async () => {
    const subscribed = Promise.withResolvers<void>();
    const { agent, client } = await bridged(speech, [
      async (exchange) => {
        await tell(agent, exchange)(task(), status('WORKING'));
        await subscribed.promise;
        agent.happen(chunk('one ', false));
        exchange.reset();
      },
      (exchange) => exchange.refuse(errors.unsupported),
    ]);
    const { task: begun } = await client.send('go', { returnImmediately: true });
    const seen: StreamResponse[] = [];
    for await (const event of client.subscribeToTask({ id: begun?.id ?? expect.fail('no task') })) {
      seen.push(event);
      subscribed.resolve();
      if (event.artifactUpdate) agent.happen(status('COMPLETED'));
    }
    expect(seen.map(({ task }) => task !== undefined)).toEqual(seen.map((_, at) => at === 0));
    expect(outline(seen)).toEqual(expect.arrayContaining(['artifact one ', 'COMPLETED']));
  });
});
