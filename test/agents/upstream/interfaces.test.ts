import { describe, expect, it } from 'vitest';
import { connect } from '../../../src/client/index.ts';
import type { Logger } from '../../../src/core/ports/logger.ts';
import { createUrlGuard } from '../../../src/net/guard.ts';
import { Secret } from '../../../src/net/secret.ts';
import { type Act, events, type HostileAgent, type Speech, startHostile } from '../../support/hostile-agent.ts';
import { card10 } from '../../support/hostile-words.ts';
import { later } from '../../support/later.ts';
import { afterTest, closedPortUrl } from '../../support/peer.ts';
import { startBridge, type UpstreamSettings } from '../../support/upstreams.ts';
import { tell } from './hostile-bridge.ts';

/** An agent whose card lists several interfaces, of which the first cannot be used. */

const { task, status } = events;
type Listed = { url: string; protocolBinding: string; protocolVersion: string };

const speechOf = { JSONRPC: 'a2a-1.0 jsonrpc', 'HTTP+JSON': 'a2a-1.0 rest', GRPC: 'a2a-1.0 grpc' } as const;
type Protocol = keyof typeof speechOf;
const protocols = Object.keys(speechOf) as Protocol[];
const transports = { JSONRPC: 'jsonrpc', 'HTTP+JSON': 'rest', GRPC: 'grpc' } as const;

const complete =
  (agent: () => HostileAgent): Act =>
  async (exchange) => {
    await tell(agent(), exchange)(task(), status('COMPLETED', 'Done'));
    exchange.end();
  };

/** An agent that completes every task, and its interface. */
async function startInterface(protocol: Protocol, act?: Act): Promise<{ agent: HostileAgent; listed: Listed }> {
  const agent = await startHostile(speechOf[protocol] as Speech);
  agent.script = { SendStreamingMessage: act ?? complete(() => agent) };
  const answer = await fetch(`${agent.url}/.well-known/agent-card.json`);
  const { supportedInterfaces } = (await answer.json()) as { supportedInterfaces: [Listed] };
  return { agent, listed: supportedInterfaces[0] };
}

/** The interface of a protocol where nothing listens. */
async function deadInterface(protocol: Protocol): Promise<Listed> {
  const url = await closedPortUrl();
  const address = protocol === 'GRPC' ? new URL(url).host : `${url}/rpc`;
  return { url: address, protocolBinding: protocol, protocolVersion: '1.0' };
}

const cardOf = (...supportedInterfaces: Listed[]): object => ({ ...card10('', ''), supportedInterfaces });

async function bridgeTo(agent: HostileAgent, settings: Partial<UpstreamSettings> = {}) {
  const lines: string[] = [];
  const log = (fields: object, message: string): void => void lines.push(`${message} ${JSON.stringify(fields)}`);
  const logger: Logger = { debug() {}, info: log, warn: log, error: log };
  const bridge = await startBridge({ up: { url: agent.url, silence: 2_000, logger, ...settings } });
  const inUse = async (): Promise<string> => {
    const ready = await (await fetch(`${bridge.origin}/readyz`)).json();
    const { up } = (ready as { agents: { up: { state: string; transport: string; dialect: string } } }).agents;
    return `${up.state} ${up.transport} ${up.dialect}`;
  };
  return { client: await bridge.client('up'), inUse, lines };
}

const sent = (agent: HostileAgent): number =>
  agent.calls.filter(({ operation }) => operation.startsWith('Send')).length;

describe.each(protocols.map((first, at) => [first, protocols[(at + 1) % protocols.length] as Protocol] as const))(
  'an agent whose first interface, of %s, cannot be reached, and whose second is one of %s',
  (first, second) => {
    it(`an agent whose first interface, of ${first}, cannot be reached, and whose second is one of ${second} is called over the second, once for each message`, async () => {
      const { agent, listed } = await startInterface(second);
      agent.card = cardOf(await deadInterface(first), listed);
      const { client, inUse, lines } = await bridgeTo(agent);
      for (const text of ['one', 'two']) {
        expect((await client.send(text)).task?.status.state).toBe('TASK_STATE_COMPLETED');
      }
      expect(sent(agent)).toBe(2);
      expect(await inUse()).toBe(`ok ${transports[second]} a2a-1.0`);
      expect(lines.filter((line) => line.includes('for 10 minutes'))).toHaveLength(1);
    });

    it(`an agent whose first interface, of ${first}, cannot be reached, and whose second is one of ${second} is called over the second by the client library`, async () => {
      const { agent, listed } = await startInterface(second);
      agent.card = cardOf(await deadInterface(first), listed);
      const client = await connect(agent.url);
      afterTest(() => client.close());
      for await (const _ of client.sendStream('one')) void _;
      expect([client.binding, client.interface]).toEqual([transports[second], listed]);
      expect(sent(agent)).toBe(1);
    });
  },
);

describe.each(protocols)('an agent whose first interface is one of %s', (protocol) => {
  const other = protocol === 'JSONRPC' ? 'HTTP+JSON' : 'JSONRPC';

  it(`an agent whose first interface is one of ${protocol} and has no methods for messages is called over the second`, async () => {
    const { agent: lacking, listed: first } = await startInterface(protocol, (exchange) => exchange.lack());
    const { agent, listed } = await startInterface(other);
    agent.card = cardOf(first, listed);
    const { client, inUse } = await bridgeTo(agent);
    expect((await client.send('one')).task?.status.state).toBe('TASK_STATE_COMPLETED');
    expect(await inUse()).toBe(`ok ${transports[other]} a2a-1.0`);
    expect(sent(lacking)).toBeGreaterThan(0);
    expect(sent(agent)).toBe(1);
  });

  it(`an agent whose first interface is one of ${protocol} and has no methods for tasks is asked about them over the second, before any message`, async () => {
    const { agent: lacking, listed: first } = await startInterface(protocol);
    lacking.script = { GetTask: (exchange) => exchange.lack(), CancelTask: (exchange) => exchange.lack() };
    const { agent, listed } = await startInterface(other);
    agent.happen(task('WORKING'));
    agent.script = {
      GetTask: (exchange) => exchange.answer(agent.truth),
      CancelTask: (exchange) => exchange.answer({ ...agent.truth, status: { state: 'TASK_STATE_CANCELED' } }),
    };
    agent.card = cardOf(first, listed);
    for (const operation of ['GetTask', 'CancelTask'] as const) {
      const { client } = await bridgeTo(agent, { keep: 'none' });
      const { id } = agent.truth;
      const { status } = await (operation === 'GetTask' ? client.getTask({ id }) : client.cancelTask({ id }));
      expect(status.state).toBe(operation === 'GetTask' ? 'TASK_STATE_WORKING' : 'TASK_STATE_CANCELED');
    }
  });

  it.each<[string, Act]>([
    ['breaks the connection', (exchange) => exchange.reset()],
    ['ends the stream', (exchange) => exchange.end()],
    [
      'answers 503',
      ({ res, h2 }) => void (res?.writeHead(503).end() ?? h2?.respond({ ':status': 503 }, { endStream: true })),
    ],
  ])(`an agent whose first interface is one of ${protocol} and %s is called over no other`, async (_, act) => {
    const { agent: failing, listed: first } = await startInterface(protocol, act);
    const { agent, listed } = await startInterface(other);
    agent.card = cardOf(first, listed);
    const { client } = await bridgeTo(agent);
    await expect(client.send('one')).rejects.toThrow();
    expect([sent(failing), sent(agent)]).toEqual([1, 0]);
  });

  it(`an agent whose first interface is one of ${protocol} is called over it again after ten minutes`, async () => {
    const { agent: first, listed } = await startInterface(protocol);
    await first.stop();
    const { agent: second, listed: other1 } = await startInterface(other);
    second.card = cardOf(listed, other1);
    const { client, inUse, lines } = await bridgeTo(second, { cardAge: 10 ** 9 });
    await client.send('one');
    await first.start();
    await client.send('two');
    expect([sent(first), sent(second)]).toEqual([0, 2]);
    later(601_000);
    expect((await client.send('three')).task?.status.state).toBe('TASK_STATE_COMPLETED');
    expect([sent(first), sent(second)]).toEqual([1, 2]);
    expect(await inUse()).toBe(`ok ${transports[protocol]} a2a-1.0`);
    expect(lines.some((line) => line.startsWith('the upstream agent is called over the first interface'))).toBe(true);
  });

  it(`an agent whose first interface is one of ${protocol} is called over the second by many callers at once`, async () => {
    const { agent, listed } = await startInterface(other);
    agent.card = cardOf(await deadInterface(protocol), listed);
    const { client } = await bridgeTo(agent, { breaker: { failures: 2, cooldown: 60_000 } });
    const answers = await Promise.all(Array.from({ length: 20 }, () => client.send('one')));
    expect(new Set(answers.map((answer) => answer.task?.status.state))).toEqual(new Set(['TASK_STATE_COMPLETED']));
    expect(sent(agent)).toBe(20);
  });

  it(`an agent whose interfaces, from one of ${protocol} to the last, cannot be reached has the error of the first`, async () => {
    const { agent } = await startInterface(other, (exchange) => exchange.lack());
    agent.card = cardOf(await deadInterface(protocol), await deadInterface(other));
    const { client } = await bridgeTo(agent);
    await expect(client.send('one')).rejects.toMatchObject({ kind: 'upstreamUnreachable' });
  });
});

it('the second interface of an agent gets no credentials of another origin', async () => {
  const { agent, listed } = await startInterface('JSONRPC');
  const { agent: home } = await startInterface('JSONRPC');
  home.card = cardOf(await deadInterface('GRPC'), listed);
  const { client } = await bridgeTo(home, { auth: { type: 'bearer', token: new Secret('t-1') } });
  await client.send('one');
  expect(agent.calls.map(({ headers }) => headers.authorization)).toEqual([undefined]);
});

it('the second interface of an agent is not called where the URL guard forbids it', async () => {
  const { agent, listed } = await startInterface('JSONRPC');
  const { agent: home } = await startInterface('JSONRPC', (exchange) => exchange.lack());
  home.card = cardOf(await deadInterface('GRPC'), listed);
  const guard = createUrlGuard({ allow: [] });
  const { client } = await bridgeTo(home, { guard });
  await expect(client.send('one')).rejects.toThrow();
  expect(sent(agent)).toBe(0);
});
