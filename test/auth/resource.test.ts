import { expect, it } from 'vitest';
import { agentsOfResource, inBoth } from '../../src/auth/principals.ts';
import type { AgentDirectory } from '../../src/core/ports/agent-directory.ts';

const agents = { get: (name: string) => (name === 'demo' ? {} : undefined) } as unknown as AgentDirectory;
const url = 'https://gw.example.com/below';

it.each([
  ['https://gw.example.com/below', 'all'],
  ['https://gw.example.com/below/', 'all'],
  ['https://gw.example.com/below/mcp', 'all'],
  ['https://gw.example.com/below/demo', ['demo']],
  ['https://gw.example.com/below/demo/mcp', ['demo']],
  ['https://gw.example.com/below/nobody/mcp', undefined],
  ['https://gw.example.com/below/demo/mcp/more', undefined],
  ['https://gw.example.com/below.evil.example/mcp', undefined],
  ['https://gw.example.com/mcp', undefined],
  ['https://other.example.com/below/mcp', undefined],
  ['http://gw.example.com/below/mcp', undefined],
  ['https://gw.example.com/below/mcp#part', undefined],
  ['demo', undefined],
])('the resource %s is about the agents: %s', (resource, expected) => {
  expect(agentsOfResource(resource, { url }, agents)).toEqual(expected);
});

it('at the host of an agent, the root is about this agent', () => {
  expect(agentsOfResource(`${url}/mcp`, { url, agent: 'demo' }, agents)).toEqual(['demo']);
});

it('a token is for the agents that both its resource and the configuration name', () => {
  expect(inBoth(undefined, undefined)).toBeUndefined();
  expect(inBoth(['a', 'b'], undefined)).toEqual(['a', 'b']);
  expect(inBoth(undefined, ['b'])).toEqual(['b']);
  expect(inBoth(['a', 'b'], ['b', 'c'])).toEqual(['b']);
});
