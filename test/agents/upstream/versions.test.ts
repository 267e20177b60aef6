import { describe, expect, it } from 'vitest';
import { connect } from '../../../src/client/index.ts';
import { probe } from '../../../src/client/probe/index.ts';
import { events, type Speech, startHostile } from '../../support/hostile-agent.ts';
import { card10 } from '../../support/hostile-words.ts';
import { afterTest } from '../../support/peer.ts';
import { startBridge } from '../../support/upstreams.ts';
import { tell } from './hostile-bridge.ts';

/** Agents that accept calls of one version alone, and say which on their card. */

const { task, status } = events;
const speeches: readonly Speech[] = ['a2a-1.0 jsonrpc', 'a2a-1.0 rest', 'a2a-1.0 grpc'];

/** An agent whose card lists versions of A2A 1.x, and the versions that it was called with. */
async function startVersioned(speech: Speech, versions: readonly string[]) {
  const agent = await startHostile(speech);
  const answer = await fetch(`${agent.url}/.well-known/agent-card.json`);
  const { supportedInterfaces } = (await answer.json()) as { supportedInterfaces: [{ url: string }] };
  const [listed] = supportedInterfaces;
  agent.card = {
    ...card10('', ''),
    supportedInterfaces: versions.map((protocolVersion) => ({ ...listed, protocolVersion })),
  };
  agent.script = {
    async SendStreamingMessage(exchange) {
      await tell(agent, exchange)(task(), status('COMPLETED', 'Done'));
      exchange.end();
    },
  };
  return { agent, called: () => new Set(agent.calls.map(({ headers }) => headers['a2a-version'])) };
}

describe.each(speeches)('an agent of %s', (speech) => {
  it.each([
    [['1.1'], '1.1'],
    [['1.0'], '1.0'],
    [['1.1', '1.0'], '1.0'],
  ])(`an agent of ${speech} whose card lists %j is called in %s`, async (versions, version) => {
    const { agent, called } = await startVersioned(speech, versions);
    const bridge = await startBridge({ up: { url: agent.url } });
    expect((await (await bridge.client('up')).send('go')).task?.status.state).toBe('TASK_STATE_COMPLETED');
    const client = await connect(agent.url);
    afterTest(() => client.close());
    for await (const _ of client.sendStream('go')) void _;
    expect(called()).toEqual(new Set([version]));
  });

  it(`an agent of ${speech} whose card lists 1.1 alone is probed in that version`, async () => {
    const { agent } = await startVersioned(speech, ['1.1']);
    const { found, rejected } = await probe(agent.url, { listedOnly: true });
    expect(new Set([...found, ...rejected].map(({ dialect }) => dialect))).toEqual(new Set(['a2a-1.1']));
  });
});
