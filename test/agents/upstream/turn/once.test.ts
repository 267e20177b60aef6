import { describe, expect, it } from 'vitest';
import type { Client } from '../../../../src/client/index.ts';
import type { AgentCard, StreamResponse, Task } from '../../../../src/core/model/a2a.ts';
import { unloggedEvent } from '../../../../src/core/model/agent-events.ts';
import type { LoggedEvent } from '../../../../src/core/model/call.ts';
import { Secret } from '../../../../src/net/secret.ts';
import {
  type Act,
  type Exchange,
  errors,
  events,
  type HostileAgent,
  type Script,
  type Speech,
  speeches,
  startHostile,
} from '../../../support/hostile-agent.ts';
import { sendJson, serve } from '../../../support/peer.ts';
import { bounds, bridgedTo, essence, follow, outline, tell, wordsOf } from '../hostile-bridge.ts';

/** A message whose stream the agent refuses, or breaks off, after it has carried the message out, or without. */

const { task, status } = events;

/** Agents that are sent one stream for a message; that of AgentVault is a second call. */
const streaming = speeches.filter((speech) => speech !== 'agentvault');

/** Failures of a message that the agent may have carried out. */
const failures: Readonly<Record<string, Act>> = {
  'an unsupported operation': (exchange) => exchange.refuse(errors.unsupported),
  'an internal error': (exchange) => exchange.refuse(errors.internal),
  'a lost connection': (exchange) => exchange.reset(),
  'an empty stream': (exchange) => exchange.end(),
  'a lost stream': (exchange) => {
    exchange.open();
    setImmediate(() => exchange.reset());
  },
  'too many requests': ({ res, h2 }) => {
    res?.writeHead(429, { 'retry-after': '0' }).end();
    h2?.respond({ ':status': 200, 'content-type': 'application/grpc', 'grpc-status': '8' }, { endStream: true });
  },
  'a service that is not available': ({ res, h2 }) => {
    res?.writeHead(503, { 'retry-after': '0' }).end();
    h2?.respond({ ':status': 200, 'content-type': 'application/grpc', 'grpc-status': '14' }, { endStream: true });
  },
  'HTTP 501': ({ res, h2 }) => {
    res?.writeHead(501).end();
    h2?.respond({ ':status': 501 }, { endStream: true });
  },
};

const sent = (agent: HostileAgent): string[] =>
  agent.calls.flatMap(({ operation }) => (operation.startsWith('Send') ? [operation] : []));

/** An agent that asks a question and does something with the answer, and the task that its caller then sees. */
async function answering(speech: Speech, act: (agent: HostileAgent, exchange: Exchange) => unknown) {
  const agent = await startHostile(speech);
  agent.script = {
    SendStreamingMessage: [
      async (exchange) => {
        await tell(agent, exchange)(task(), status('INPUT_REQUIRED', 'Shall I book?'));
        exchange.end();
      },
      (exchange) => act(agent, exchange),
    ],
    SendMessage: (exchange) => exchange.answer({ task: agent.truth }),
  };
  const { client } = await bridgedTo(agent.url, { bounds: { ...bounds, settle: 300 } });
  const asked = (await client.send('a trip')).task as Task;
  expect(asked.status.state).toBe('TASK_STATE_INPUT_REQUIRED');
  return { agent, client, id: asked.id };
}

const answer = async (client: Client, taskId: string): Promise<Task> =>
  (await client.send('yes', { taskId })).task as Task;

/** Failures that the dialect names, and that the connection has. */
const isOfEach = (name: string): boolean => /unsupported|lost stream/.test(name);

/** All failures over HTTP/1.1 and over gRPC; elsewhere one of each. */
const failuresOf = (speech: Speech): [string, Act][] =>
  Object.entries(failures).filter(([name]) => ['a2a-1.0 jsonrpc', 'a2a-1.0 grpc'].includes(speech) || isOfEach(name));

/** The reaction to a failure depends on its kind and not on the dialect: all kinds over HTTP/1.1, one of each over gRPC. */
const kindsOf = (speech: Speech): [string, Act][] =>
  Object.entries(failures).filter(
    ([name]) => speech === 'a2a-1.0 jsonrpc' || (speech === 'a2a-1.0 grpc' && isOfEach(name)),
  );

describe.each(streaming)('an agent of %s', (speech) => {
  it.each(failuresOf(speech))(
    `an agent of ${speech} gets an answer to its question once that it meets with %s`,
    async (_, fail) => {
      const { agent, client, id } = await answering(speech, async (agent, exchange) => {
        agent.happen(status('COMPLETED', 'Booked'));
        await fail(exchange);
      });
      const { status: end } = await answer(client, id);
      expect([end.state, wordsOf(end.message)]).toEqual(['TASK_STATE_COMPLETED', 'Booked']);
      expect(sent(agent)).toEqual(['SendStreamingMessage', 'SendStreamingMessage']);
    },
  );

  it.each(kindsOf(speech))(`an agent of ${speech} that works on after %s completes the task`, async (_, fail) => {
    const { agent, client, id } = await answering(speech, async (agent, exchange) => {
      await fail(exchange);
      setTimeout(() => agent.happen(status('COMPLETED', 'Booked')), 50);
    });
    const { status: end } = await answer(client, id);
    expect([end.state, wordsOf(end.message)]).toEqual(['TASK_STATE_COMPLETED', 'Booked']);
    expect(sent(agent)).toEqual(['SendStreamingMessage', 'SendStreamingMessage']);
  });

  it.each(kindsOf(speech))(
    `an agent of ${speech} that does nothing after %s leaves a task that waits, with the reason`,
    async (_, fail) => {
      const { agent, client, id } = await answering(speech, (_, exchange) => fail(exchange));
      const { status: end } = await answer(client, id);
      expect(end.state).toBe('TASK_STATE_INPUT_REQUIRED');
      expect(wordsOf(end.message)).toMatch(
        /^The upstream agent may have acted on the message|^Whether the upstream agent/,
      );
      expect(sent(agent)).toEqual(['SendStreamingMessage', 'SendStreamingMessage']);
    },
  );

  it.each(failuresOf(speech))(
    `an agent of ${speech} gets a message once that opens a task and meets with %s`,
    async (_, fail) => {
      const agent = await startHostile(speech, { SendStreamingMessage: fail });
      const { client } = await bridgedTo(agent.url, { bounds: { ...bounds, settle: 300 } });
      await expect(client.send('a trip')).rejects.toThrow();
      expect(sent(agent)).toEqual(['SendStreamingMessage']);
    },
  );

  it(`an agent of ${speech} that refuses one stream gets the next message as a stream too`, async () => {
    const agent = await startHostile(speech);
    agent.script = {
      SendStreamingMessage: [
        (exchange) => exchange.refuse(errors.unsupported),
        async (exchange) => {
          await tell(agent, exchange)(task(), status('COMPLETED', 'Done'));
          exchange.end();
        },
      ],
    };
    const { client } = await bridgedTo(agent.url, { bounds: { ...bounds, settle: 300 } });
    await expect(client.send('odd')).rejects.toMatchObject({ kind: 'unsupportedOperation' });
    expect((await client.send('even')).task?.status.state).toBe('TASK_STATE_COMPLETED');
    expect(sent(agent)).toEqual(['SendStreamingMessage', 'SendStreamingMessage']);
  });

  it(`an agent of ${speech} that has no streams gets the message without one, and later ones at once`, async () => {
    const agent = await startHostile(speech, {
      SendMessage: (exchange) => {
        agent.happen(task());
        exchange.answer({ task: agent.happen(status('COMPLETED', 'Done')) && agent.truth });
      },
    });
    const { client } = await bridgedTo(agent.url, { bounds: { ...bounds, settle: 300 } });
    for (const text of ['one', 'two']) {
      expect((await client.send(text)).task?.status.state).toBe('TASK_STATE_COMPLETED');
    }
    expect(sent(agent)).toEqual(['SendStreamingMessage', 'SendMessage', 'SendMessage']);
  });
});

describe('an agent that refuses the token of the gateway', () => {
  async function refusing(speech: Speech, refuse: Act) {
    let tokens = 0;
    const issuer = await serve((_, res) => {
      tokens += 1;
      sendJson(res, { access_token: `t-${tokens}`, token_type: 'bearer', expires_in: 3_600 });
    });
    const agent = await startHostile(speech);
    const card = (await (await fetch(`${agent.url}/.well-known/agent-card.json`)).json()) as AgentCard;
    const done: Act = async (exchange) => {
      await tell(agent, exchange)(task(), status('COMPLETED', 'Done'));
      exchange.end();
    };
    agent.script = { SendStreamingMessage: [refuse, done] };
    // Over gRPC the agent has an origin of its own, to which the credentials belong.
    const isGrpc = speech === 'a2a-1.0 grpc';
    const url = isGrpc ? `http://${card.supportedInterfaces[0]?.url}` : agent.url;
    const auth = {
      type: 'oauth2' as const,
      tokenUrl: issuer,
      clientId: 'gw',
      clientSecret: new Secret('s'),
      scopes: [],
    };
    const explicit = isGrpc ? { dialect: 'a2a-1.0' as const, transport: 'grpc' as const } : {};
    const { client } = await bridgedTo(url, { auth, ...explicit });
    return { agent, client };
  }
  const shown = (agent: HostileAgent) => agent.calls.map(({ headers }) => headers.authorization);

  it.each(streaming)(
    'an agent that refuses the token of the gateway before it sees the message gets it again with another token, over %s',
    async (speech) => {
      const { agent, client } = await refusing(speech, ({ res, h2 }) => {
        res?.writeHead(401, { 'www-authenticate': 'Bearer error="invalid_token"' }).end();
        h2?.respond({ ':status': 200, 'content-type': 'application/grpc', 'grpc-status': '16' }, { endStream: true });
      });
      expect((await client.send('go')).task?.status.state).toBe('TASK_STATE_COMPLETED');
      expect(shown(agent)).toEqual(['Bearer t-1', 'Bearer t-2']);
    },
  );

  it.each(streaming)(
    'an agent that refuses the token of the gateway after it has seen the message, perhaps, gets the next message with another one, over %s',
    async (speech) => {
      const { agent, client } = await refusing(speech, ({ res, h2 }) => {
        res?.writeHead(401).end();
        const head = { ':status': 200, 'content-type': 'application/grpc' };
        h2?.respond(
          { ...head, 'grpc-status': '16', 'grpc-message': 'UnauthenticatedError: the model refused the key' },
          { endStream: true },
        );
      });
      await expect(client.send('go')).rejects.toMatchObject({ kind: 'upstreamUnreachable' });
      expect(shown(agent)).toEqual(['Bearer t-1']);
      expect((await client.send('go')).task?.status.state).toBe('TASK_STATE_COMPLETED');
      expect(shown(agent)).toEqual(['Bearer t-1', 'Bearer t-2']);
    },
  );
});

describe('an agent of AgentVault that works before its stream is opened', () => {
  const { chunk } = events;

  /** Events before the agent's stream is opened, and the events of the stream. */
  async function early(before: readonly StreamResponse[], streamed: readonly StreamResponse[], more: Script = {}) {
    const agent = await startHostile('agentvault');
    agent.script = {
      SendMessage(exchange) {
        exchange.answer(agent.happen(task()));
        for (const event of before) agent.happen(event);
      },
      async SubscribeToTask(exchange) {
        await exchange.tell({ statusUpdate: { taskId: agent.truth.id, contextId: '', status: agent.truth.status } });
        await tell(agent, exchange)(...streamed);
        exchange.end();
      },
      GetTask: (exchange) => exchange.answer(agent.truth),
      ...more,
    };
    return { agent, ...(await bridgedTo(agent.url)) };
  }

  it('an agent of AgentVault that works before its stream is opened loses no result when it is done by then', async () => {
    const { client } = await early([chunk('Booked'), status('COMPLETED')], []);
    const { task: got } = await client.send('a trip');
    expect(got?.status.state).toBe('TASK_STATE_COMPLETED');
    expect(got?.artifacts?.[0]?.parts[0]?.text).toBe('Booked');
  });

  it('an agent of AgentVault that works before its stream is opened loses no result when it goes on after that', async () => {
    const { agent, client } = await early(
      [status('WORKING'), chunk('Booked')],
      [status('WORKING', 'Looking'), status('COMPLETED', 'Done')],
    );
    const { log, task: end } = await follow(client);
    expect(essence(end)).toEqual(essence(agent.truth));
    expect(outline(log).filter((word) => word !== 'WORKING')).toEqual(['task', 'Booked', 'COMPLETED']);
  });

  it('an agent of AgentVault that works before its stream is opened repeats nothing that its stream has brought', async () => {
    const { agent, client } = await early(
      [status('WORKING', 'First')],
      [status('WORKING', 'Again'), chunk('one', false), status('WORKING', 'Again'), status('COMPLETED', 'Done')],
    );
    const { log, task: end } = await follow(client);
    expect(essence(end)).toEqual(essence(agent.truth));
    expect(essence(end).said).toEqual(['First', 'Again', 'Again', 'Done']);
    expect(outline(log).filter((word) => word === 'one')).toHaveLength(1);
  });

  it('an agent of AgentVault that works before its stream is opened loses no result when its answer about the task breaks once', async () => {
    const { client, agent } = await early([status('WORKING'), chunk('Booked')], [status('COMPLETED')], {
      GetTask: [(exchange) => exchange.reset(), (exchange) => exchange.answer(agent.truth)],
    });
    const { task: got } = await client.send('a trip');
    expect(got?.artifacts?.[0]?.parts[0]?.text).toBe('Booked');
  });

  it('an agent of AgentVault that works before its stream is opened has a task that says so when the agent does not answer about it', async () => {
    const { client } = await early([status('WORKING'), chunk('Booked')], [status('COMPLETED')], {
      GetTask: (exchange) => exchange.refuse(errors.internal),
    });
    const { task: got } = await client.send('a trip');
    expect(got?.status.state).toBe('TASK_STATE_COMPLETED');
    expect(got?.metadata?.['a2a-gateway/unread']).toEqual([expect.stringContaining('could not be read at its end')]);
  });
});

describe('an agent of AgentVault with `keep: none` that works before its stream is opened', () => {
  const { chunk } = events;

  /** Outlines of its events and of the agent's task, the text of an artifact as it is. */
  const read = async (stream: AsyncIterable<StreamResponse>): Promise<string[]> => {
    const log: LoggedEvent[] = [];
    for await (const event of stream) log.push(unloggedEvent(event, 0, 0));
    return outline(log).filter((word) => word !== 'WORKING');
  };

  async function translated(before: readonly StreamResponse[], streamed: readonly StreamResponse[]) {
    const agent = await startHostile('agentvault');
    agent.happen(task());
    agent.script = {
      SendMessage(exchange) {
        exchange.answer({ task: agent.truth });
        for (const event of before) agent.happen(event);
      },
      GetTask: (exchange) => exchange.answer(agent.truth),
      async SubscribeToTask(exchange) {
        await tell(agent, exchange)(...streamed);
        exchange.end();
      },
    };
    return { agent, ...(await bridgedTo(agent.url, { keep: 'none' })) };
  }

  it('an agent of AgentVault with `keep: none` that works before its stream is opened loses no result of a new task', async () => {
    const { client } = await translated([status('WORKING'), chunk('Booked')], [status('COMPLETED', 'Done')]);
    expect(await read(client.sendStream('a trip'))).toEqual(['task', 'Booked', 'COMPLETED']);
  });

  it('an agent of AgentVault with `keep: none` that works before its stream is opened loses no result of a later message, and repeats nothing of an earlier one', async () => {
    const { agent, client } = await translated([chunk('Booked', false)], [status('COMPLETED')]);
    for (const event of [status('WORKING', 'Hello'), chunk('Draft'), status('INPUT_REQUIRED', 'Which?')])
      agent.happen(event);
    const { id: taskId } = agent.truth;
    expect(await read(client.sendStream({ parts: [{ text: 'That' }], taskId }))).toEqual([
      'task',
      'Booked',
      'COMPLETED',
    ]);
  });

  it('an agent of AgentVault with `keep: none` that works before its stream is opened loses nothing that happens while a subscription is opened', async () => {
    const { agent, client } = await translated([], [status('COMPLETED')]);
    agent.happen(status('WORKING'));
    const { SubscribeToTask: open } = agent.script;
    agent.script = {
      ...agent.script,
      SubscribeToTask(exchange) {
        agent.happen(chunk('Booked'));
        return (open as Act)(exchange);
      },
    };
    expect(await read(client.subscribeToTask({ id: agent.truth.id }))).toEqual(['task', 'Booked', 'COMPLETED']);
  });
});
