import { expect, it } from 'vitest';
import { parseConfig } from '../../../src/config/parse.ts';
import { openGateway } from '../../support/gateway.ts';
import { overJsonRpc } from '../../support/knowledge-clients.ts';
import { afterTest } from '../../support/peer.ts';

const configOf = (agents: string): string => `
listen: { port: 0 }
store: "memory:"
agents: { other: { kind: reference }${agents} }`;

it('a subscription to the knowledge of an upstream agent continues after a reload that removes the agent', async () => {
  const there = await openGateway(configOf(', facts: { kind: reference, knowledge: true }'));
  const here = await openGateway(configOf(`, facts: { kind: upstream, url: "${there.url}/facts" }`));
  afterTest(() => Promise.all([here.close(), there.close()]));
  const changes = await overJsonRpc(`${here.url}/facts`).subscribe({
    subscriptionQuery: '{}',
    queryLanguage: 'graphql',
  });
  const next = changes.next();
  expect(await here.gateway.reload(parseConfig(configOf(''), { file: '/gateway.yaml', env: {} }))).toMatchObject({
    agents: { removed: ['facts'] },
  });
  const statement = { subject: { id: 'urn:a' }, predicate: { id: 'urn:p' }, object: { value: 1 } };
  await overJsonRpc(`${there.url}/facts`).update({ mutations: [{ op: 'add', statement }] });
  expect(await next).toMatchObject({ value: { op: 'add', statement } });
  await changes.return?.();
});
