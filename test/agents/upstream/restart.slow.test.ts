import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Client, connect } from '../../../src/client/index.ts';
import type { Task } from '../../../src/core/model/a2a.ts';
import type { LoggedEvent } from '../../../src/core/model/call.ts';
import { fold } from '../../../src/core/model/fold.ts';
import { type DialectBinding, dialectBindings } from '../../support/conversations.ts';
import { newFolder } from '../../support/folders.ts';
import { type Running, startGateway } from '../../support/gateway.ts';
import { type Exchange, events, HostileAgent, type Speech, speeches } from '../../support/hostile-agent.ts';
import { afterTest } from '../../support/peer.ts';
import type { UpstreamSettings } from '../../support/upstreams.ts';
import { bounds, essence, tell, wordsOf } from './hostile-bridge.ts';

/**
 * Tasks of upstream agents are running when the gateway is killed: of agents that follow a script, and of the reference
 * agent in every dialect over every binding. The gateway that starts on the same file continues them: missed events arrive
 * once, and clients resume their streams.
 */

const { task, status, chunk } = events;

/** One agent, and the events of its task that the client received before and after the kill. */
interface Play {
  readonly agent: HostileAgent;
  readonly before: LoggedEvent[];
  id: string;
}

/** Begins to work and says a little. */
const begin = async (agent: HostileAgent, exchange: Exchange): Promise<void> => {
  await tell(agent, exchange)(task(), status('WORKING', 'On it'), chunk('one ', false));
};

/** Adds an event while no gateway runs. */
const miss = (agent: HostileAgent): void => void agent.happen(chunk('two '));

const nameOf = (speech: Speech): string => speech.replaceAll(/[. ]/g, '-');

/** An agent whose stream is taken up, and which then comes to its end. */
function enduring(speech: Speech): HostileAgent {
  const agent: HostileAgent = new HostileAgent(speech, {});
  const first = (exchange: Exchange) => begin(agent, exchange);
  const again = async (exchange: Exchange) => {
    // AgentVault's streams tell of what is to come alone.
    if (speech !== 'agentvault') await exchange.tell({ task: agent.truth });
    await tell(agent, exchange)(status('COMPLETED', 'Done'));
    exchange.end();
  };
  agent.script = {
    SendMessage: (exchange) => exchange.answer(agent.happen(task())),
    SendStreamingMessage: first,
    SubscribeToTask: speech === 'agentvault' ? [first, again] : again,
  };
  return agent;
}

/** The reference agent in each dialect over each binding, behind the same gateway. */
let reference: Running;
const referenceOver = ({ as, via }: Pick<DialectBinding, 'as' | 'via'>): string =>
  `reference-${as}-${via}`.replaceAll('.', '-');
const chunks = 30;
const referenceTasks = new Map<string, string>();

const plays = new Map<string, Play>();
let folder = '';
let origin = '';

async function start(): Promise<{ child: ChildProcess; origin: string }> {
  const settings: Record<string, UpstreamSettings> = Object.fromEntries(
    // A slow machine must not find them silent before the gateway is killed.
    [...plays].map(([name, { agent }]) => [
      name,
      { url: agent.url, silence: name === 'mute' ? 3_000 : 30_000, bounds },
    ]),
  );
  for (const { as, via } of dialectBindings) {
    const url = `${reference.origin}/as/${as}/.well-known/agent-card.json`;
    settings[referenceOver({ as, via })] = { url, dialect: as, transport: via };
  }
  const script = fileURLToPath(new URL('process.ts', import.meta.url));
  const store = `sqlite:${join(folder, 'gateway.db')}`;
  const child = fork(script, [store, JSON.stringify(settings)], { stdio: 'inherit' });
  afterTest(() => child.kill('SIGKILL'));
  const [started] = await Promise.race([
    once(child, 'message'),
    once(child, 'exit').then(([code]) => {
      throw new Error(`the gateway has exited with ${code}`);
    }),
  ]);
  return { child, origin: (started as { origin: string }).origin };
}

const clientOf = async (name: string): Promise<Client> => {
  const client = await connect(`${origin}/${name}`, { as: 'a2a-1.0', via: 'jsonrpc' });
  afterTest(() => client.close());
  return client;
};

const add = async (name: string, agent: HostileAgent): Promise<void> => {
  await agent.start();
  plays.set(name, { agent, before: [], id: '' });
};

/** Sends a message, and records events until `enough`. */
async function play(name: string, enough: (log: readonly LoggedEvent[]) => boolean): Promise<void> {
  const { before } = playOf(name);
  const client = await clientOf(name);
  const request = { message: { messageId: 'm', role: 'ROLE_USER' as const, parts: [{ text: 'go' }] } };
  for await (const event of client.events('SendStreamingMessage', request)) {
    before.push(event);
    playOf(name).id ||= event.event.task?.id ?? event.event.statusUpdate?.taskId ?? '';
    if (enough(before)) return;
  }
}

const playOf = (name: string): Play => plays.get(name) ?? expect.fail(name);

const hasChunk = (log: readonly LoggedEvent[]): boolean => log.some(({ event }) => event.artifactUpdate);

beforeAll(async () => {
  folder = newFolder();
  reference = await startGateway();
  for (const speech of speeches) await add(nameOf(speech), enduring(speech));

  // Does not say anything before the gateway is dead.
  await add('mute', new HostileAgent('a2a-1.0 jsonrpc', { SendStreamingMessage: () => undefined }));
  // Is dead when the gateway comes back.
  const mortal: HostileAgent = new HostileAgent('a2a-1.0 jsonrpc', {
    SendStreamingMessage: (exchange) => begin(mortal, exchange),
  });
  await add('mortal', mortal);
  // Asks, and gets its answer from the next gateway.
  const asking: HostileAgent = new HostileAgent('a2a-1.0 jsonrpc', {
    SendStreamingMessage: [
      async (exchange) => {
        await tell(asking, exchange)(task(), status('INPUT_REQUIRED', 'Who?'));
        exchange.end();
      },
      async (exchange) => {
        await tell(asking, exchange)(status('COMPLETED', 'Hello'));
        exchange.end();
      },
    ],
  });
  await add('asking', asking);
  // Has forgotten everything.
  const forgetful: HostileAgent = new HostileAgent('a2a-1.0 jsonrpc', {
    SendStreamingMessage: (exchange) => begin(forgetful, exchange),
    GetTask: (exchange) =>
      exchange.refuse({ code: -32001, status: 404, reason: 'TASK_NOT_FOUND', message: 'Task not found' }),
  });
  await add('forgetful', forgetful);

  const first = await start();
  origin = first.origin;
  await Promise.all([...speeches.map(nameOf), 'mortal', 'forgetful'].map((name) => play(name, hasChunk)));
  await play('asking', () => false);
  await Promise.all(
    dialectBindings.map(async (protocol) => {
      const client = await clientOf(referenceOver(protocol));
      for await (const { task: begun, artifactUpdate } of client.sendStream(`stream ${chunks} 60`)) {
        if (begun) referenceTasks.set(referenceOver(protocol), begun.id);
        if (artifactUpdate) return;
      }
    }),
  );
  // A caller who does not wait gets the task that the gateway made.
  const mute = await clientOf('mute');
  const { task: begun } = await mute.send('go', { returnImmediately: true });
  playOf('mute').id = begun?.id ?? '';

  first.child.kill('SIGKILL');
  await once(first.child, 'exit');
  for (const speech of speeches) miss(playOf(nameOf(speech)).agent);
  await mortal.stop();
  ({ origin } = await start());
});

afterAll(async () => {
  for (const { agent } of plays.values()) await agent.stop();
});

/** The whole log of a task, from its beginning to its end. */
async function logOf(client: Client, id: string, after = 0): Promise<LoggedEvent[]> {
  const log: LoggedEvent[] = [];
  for await (const event of client.events('SubscribeToTask', { id }, { after })) log.push(event);
  return log;
}

it.each(speeches.map(nameOf))('a gateway that was killed continues a task of %s', async (name) => {
  const { agent, before, id } = playOf(name);
  const client = await clientOf(name);
  const log = await logOf(client, id);
  // The events before the kill are unchanged.
  expect(log.slice(0, before.length).map(({ seq, json }) => [seq, JSON.parse(json)])).toEqual(
    before.map(({ seq, json }) => [seq, JSON.parse(json)]),
  );
  const last = before.at(-1)?.seq ?? 0;
  // A client continues after its last event.
  expect((await logOf(client, id, last)).map(({ seq }) => seq)).toEqual(
    log.map(({ seq }) => seq).filter((seq) => seq > last),
  );
  const end = await client.getTask({ id });
  expect(end.status.state).toBe('TASK_STATE_COMPLETED');
  expect(essence(end)).toEqual(essence(agent.truth));
  let folded: Task | undefined;
  for (const { event } of log) folded = fold(folded, structuredClone(event));
  expect(folded).toEqual(end);
  // The missed chunk came once, as an update.
  const after = log.slice(before.length).map(({ event }) => Object.keys(event)[0]);
  expect(after).not.toContain('task');
  // Only the first gateway sent the message.
  expect(agent.count(name === 'agentvault' ? 'SendMessage' : 'SendStreamingMessage')).toBe(1);
});

it.each([
  ['mute', /before the upstream agent had answered/],
  ['mortal', /cannot be reached/],
  ['forgetful', /no longer knows/],
])('a gateway that was killed fails the task of an agent that is %s, with a reason', async (name, why) => {
  const { id } = playOf(name);
  const client = await clientOf(name);
  const end = (await logOf(client, id)).at(-1)?.event.statusUpdate?.status;
  expect(end?.state).toBe('TASK_STATE_FAILED');
  expect(wordsOf(end?.message)).toMatch(why);
  expect((await client.getTask({ id })).status).toEqual(end);
});

it.each(dialectBindings.map(referenceOver))(
  'a gateway that was killed continues a task of the reference agent in %s, each event once',
  async (name) => {
    const client = await clientOf(name);
    const id = referenceTasks.get(name) ?? expect.fail('no task');
    let folded: Task | undefined;
    for (const { event } of await logOf(client, id)) folded = fold(folded, structuredClone(event));
    const end = await client.getTask({ id });
    expect(folded).toEqual(end);
    expect(end.status.state).toBe('TASK_STATE_COMPLETED');
    const whole = Array.from({ length: chunks }, (_, i) => `chunk ${i + 1}`).join('');
    expect(end.artifacts?.map(({ parts }) => parts.map((part) => part.text).join(''))).toEqual([whole]);
  },
);

it('a gateway that was killed sends the answer of a client to the agent that asked', async () => {
  const { agent, id } = playOf('asking');
  const client = await clientOf('asking');
  const { task: end } = await client.send('Ann', { taskId: id });
  expect(end?.id).toBe(id);
  expect(end?.status.state).toBe('TASK_STATE_COMPLETED');
  expect(essence(end ?? expect.fail())).toEqual(essence(agent.truth));
  expect(agent.calls.at(-1)?.request.message).toMatchObject({ taskId: 'theirs-1', contextId: 'their-context' });
});
