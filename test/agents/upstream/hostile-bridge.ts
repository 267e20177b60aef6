import { expect } from 'vitest';
import type { Client } from '../../../src/client/index.ts';
import type { Message, Task } from '../../../src/core/model/a2a.ts';
import type { LoggedEvent } from '../../../src/core/model/call.ts';
import { fold } from '../../../src/core/model/fold.ts';
import {
  type Act,
  type Exchange,
  errors,
  events,
  type HostileAgent,
  type Script,
  type Speech,
  startHostile,
} from '../../support/hostile-agent.ts';
import { type Bridge, startBridge, type UpstreamSettings } from '../../support/upstreams.ts';

/** A hostile agent behind a gateway, and what is looked at when the damage is done. */

const { task, status } = events;

/** Few attempts and short deadlines. */
export const bounds = { attempts: 3, pause: 20, call: 500, quiet: 100 };

export interface Bridged {
  readonly agent: HostileAgent;
  readonly bridge: Bridge;
  readonly client: Client;
}

/**
 * A hostile agent behind a gateway.
 *
 * @param stream what it does with the stream of a new task, and with those that take it up again
 */
export async function bridged(
  speech: Speech,
  streams: readonly Act[],
  more: Script = {},
  settings: Partial<UpstreamSettings> = {},
): Promise<Bridged> {
  const agent = await startHostile(speech);
  const [first, ...others] = streams;
  const again: Script = others.length > 0 ? { SubscribeToTask: others } : {};
  // AgentVault's stream is a second call.
  const twoSteps: Script = {
    SendMessage: (exchange) => exchange.answer(agent.happen(task())),
    SubscribeToTask: others.length > 0 ? streams : [...streams, (exchange) => exchange.refuse(errors.unsupported)],
  };
  agent.script = {
    ...(speech === 'agentvault' ? twoSteps : { SendStreamingMessage: first, ...again }),
    ...more,
  } as Script;
  return { agent, ...(await bridgedTo(agent.url, settings)) };
}

/** A gateway before whatever is at a URL. */
export async function bridgedTo(
  url: string,
  settings: Partial<UpstreamSettings> = {},
): Promise<Omit<Bridged, 'agent'>> {
  const bridge = await startBridge({ up: { url, silence: 2_000, bounds, ...settings } });
  return { bridge, client: await bridge.client('up') };
}

export interface Followed {
  readonly log: readonly LoggedEvent[];
  /** The task as the gateway has it. */
  readonly task: Task;
}

/** Sends a message and follows what comes of it to the end. The events must fold to the stored task. */
export async function follow(client: Client): Promise<Followed> {
  const log: LoggedEvent[] = [];
  const request = { message: { messageId: 'm', role: 'ROLE_USER' as const, parts: [{ text: 'go' }] } };
  for await (const event of client.events('SendStreamingMessage', request)) log.push(event);
  let folded: Task | undefined;
  for (const { event } of log) folded = fold(folded, structuredClone(event));
  const stored = await client.getTask({ id: folded?.id ?? expect.fail('no task') });
  expect(folded).toEqual(stored);
  const seqs = log.map(({ seq }) => seq);
  expect(seqs).toEqual([...new Set(seqs)].sort((a, b) => a - b));
  return { log, task: stored };
}

export const wordsOf = (message: Message | undefined): string =>
  (message?.parts ?? []).map(({ text }) => text).join('');

/** The members of a task that are the same at the gateway and at the agent. */
export const essence = ({ status: { state, message }, history = [], artifacts = [] }: Task) => ({
  state,
  said: [...history, ...(message ? [message] : [])].filter(({ role }) => role === 'ROLE_AGENT').map(wordsOf),
  artifacts: artifacts.map(({ parts }) => parts.map(({ text }) => text).join('')),
});

/** One word per event. */
export const outline = (log: readonly LoggedEvent[]): string[] =>
  log.map(({ event }) => {
    const state = event.statusUpdate?.status.state.slice('TASK_STATE_'.length);
    return (
      state ??
      (event.task ? 'task' : (event.artifactUpdate?.artifact.parts.map(({ text }) => text).join('') ?? 'message'))
    );
  });

/** The gateway serves others, whatever happens. */
export async function servesOn(bridge: Bridge): Promise<void> {
  const own = await bridge.client('own');
  expect((await own.send('hello')).task?.status.state).toBe('TASK_STATE_COMPLETED');
}

/** Tells one thing after another, each as something that happens. */
export const tell =
  (agent: HostileAgent, exchange: Exchange) =>
  async (...reported: Parameters<Exchange['tell']>[0][]): Promise<void> => {
    for (const event of reported) await exchange.tell(agent.happen(event));
  };

/** An agent that answers every message at once. */
export async function obligingAgent(): Promise<HostileAgent> {
  const agent = await startHostile('a2a-1.0 jsonrpc');
  agent.script = {
    async SendStreamingMessage(exchange) {
      await tell(agent, exchange)(task(), status('COMPLETED', 'Done'));
      exchange.end();
    },
  };
  return agent;
}
