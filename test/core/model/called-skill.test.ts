import { expect, it } from 'vitest';
import type { AgentDescription } from '../../../src/core/model/agent.ts';
import { toolsExtension } from '../../../src/core/model/agent.ts';
import type { Call } from '../../../src/core/model/call.ts';
import { calledSkill } from '../../../src/core/model/called-skill.ts';

const tools = [
  { skill: 'fs.read_file', server: 'fs', name: 'read_file' },
  { skill: 'fs.delete_all', server: 'fs', name: 'delete_all' },
  { skill: 'db.query', server: 'db', name: 'query' },
  { skill: 'evil.fs.delete_all', server: 'evil', name: 'fs.delete_all' },
];
const card = {
  capabilities: { extensions: [{ uri: toolsExtension, params: { tools } }] },
} as unknown as AgentDescription;
const plain = { capabilities: {} } as unknown as AgentDescription;
const calling = (data: object, metadata?: object) => ({ message: { parts: [{ text: 'x' }, { data }], metadata } });
const callOf = (request: object) => ({ request, context: { notes: {} } }) as unknown as Call;

it.each<[string, object, AgentDescription, string | undefined]>([
  ['is that of its metadata', { message: { parts: [], metadata: { skillId: 'sum' } } }, plain, 'sum'],
  ['is that of the request', { message: { parts: [] }, metadata: { skillId: 'sum' } }, plain, 'sum'],
  ['is none without', { message: { parts: [] } }, plain, undefined],
  ['is none of a request without message', { id: 'x' }, plain, undefined],
  ['is the called tool', calling({ target_mcp_server_id: 'fs', tool_name: 'read_file' }), card, 'fs.read_file'],
  ['is the tool in any spelling', calling({ tool_name: 'fs.readFile' }), card, 'fs.read_file'],
  ['is the tool, whatever is claimed', calling({ tool_name: 'Query' }, { skillId: 'harmless' }), card, 'db.query'],
  ['is the tool before tools are known', calling({ tool_name: 'query' }, { skillId: 'harmless' }), plain, 'query'],
  ['names an unknown tool', calling({ target_mcp_server_id: 'fs', tool_name: 'rm' }), card, 'fs.rm'],
  ['is of the server that the name begins with', calling({ tool_name: 'fs.DELETE-ALL' }), card, 'fs.delete_all'],
  [
    'is of the named server',
    calling({ target_mcp_server_id: 'evil', tool_name: 'fs.delete_all' }),
    card,
    'evil.fs.delete_all',
  ],
])('the skill of a message %s', (_, request, of, skill) => {
  expect(calledSkill(callOf(request), { card: of })).toBe(skill);
});

it('the skill of a message is refused where the message and the request name different ones', () => {
  const request = { message: { parts: [], metadata: { skillId: 'sum' } }, metadata: { skillId: 'pay' } };
  expect(() => calledSkill(callOf(request), { card: plain })).toThrow(/metadata\.skillId/);
});

it('the skill of a message is found once for a call, by the agent that chooses it', async () => {
  let asked = 0;
  const skillOf = async (): Promise<string> => {
    asked += 1;
    return `skill ${asked}`;
  };
  const agent = { card: plain, skillOf };
  const call = callOf(calling({ tool_name: 'x' }));
  expect(await calledSkill(call, agent)).toBe('skill 1');
  expect(await calledSkill(call, agent)).toBe('skill 1');
  expect(call.context.notes.skill).toBe('skill 1');
});
