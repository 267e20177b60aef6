import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Output } from '../../../../src/cli/output.ts';
import { createTools } from '../../../../src/cli/tools.ts';
import { watch } from '../../../../src/extensions/knowledge/commands/graph.ts';
import type { Gateway } from '../../../../src/gateway/compose/gateway.ts';
import { newFolder } from '../../../support/folders.ts';
import { openGateway } from '../../../support/gateway.ts';
import { inProcess } from '../../../support/in-process.ts';

const dir = newFolder();
const file = (name: string, text: string): string => {
  writeFileSync(join(dir, name), text);
  return join(dir, name);
};

let gateway: Gateway;
let facts: string;
let plain: string;
beforeAll(async () => {
  file('begin.ttl', '@prefix ex: <http://example.org/> . ex:ada a ex:Person ; ex:born 1815 .');
  const config = `
listen: { port: 0 }
store: "memory:"
agents:
  facts: { kind: reference, knowledge: { requireJustification: true, import: [begin.ttl] } }
  plain: { kind: reference }
`;
  const opened = await openGateway(config, { file: join(dir, 'gateway.yaml') });
  ({ gateway } = opened);
  const { url } = opened;
  [facts, plain] = [`${url}/facts`, `${url}/plain`];
});
afterAll(async () => {
  await gateway.close({ drainMs: 0 });
});

async function knowledge(...args: string[]): Promise<{ code: number | null; text: string; notes: string }> {
  const { code, stdout, stderr } = await inProcess(['knowledge', ...args]);
  return { code, text: stdout, notes: stderr };
}

const count = '{ statements { totalCount } }';
const ada = (value: unknown) => ({
  subject: { id: 'http://example.org/ada' },
  predicate: { id: 'http://example.org/name' },
  object: { value },
});

it('knowledge begins with the files of the configuration', async () => {
  expect(await knowledge('query', facts, count)).toEqual({
    code: 0,
    text: `${JSON.stringify({ statements: { totalCount: 2 } }, undefined, 2)}\n`,
    notes: '',
  });
});

it.each(['jsonrpc', 'rest', 'grpc', 'connect'])('knowledge is queried over %s, with variables', async (via) => {
  const query = 'query ($id: ID!) { entity(id: $id) { types } }';
  const variables = '{"id": "http://example.org/ada"}';
  const { code, text } = await knowledge('query', facts, query, '--variables', variables, '--via', via, '--json');
  expect(code).toBe(0);
  expect(JSON.parse(text)).toMatchObject({
    data: { entity: { types: ['http://example.org/Person'] } },
    queryMetadata: expect.anything(),
  });
});

it('knowledge is changed where the rules allow it', async () => {
  const changes = file('changes.json', JSON.stringify([{ op: 'add', statement: ada('Ada') }]));
  expect(await knowledge('update', facts, changes)).toMatchObject({
    code: 1,
    notes: expect.stringMatching(/^error: Rejected.*justif/),
  });
  const { code, text } = await knowledge('update', facts, changes, '--justification', 'Read it', '--source', 'me');
  expect({ code, text }).toEqual({ code: 0, text: expect.stringMatching(/^Verified; .*1 statement affected\n$/) });
});

it('knowledge is watched', async () => {
  const line = Promise.withResolvers<string>();
  const output: Output = { table() {}, json() {}, print: line.resolve, note() {}, progress() {}, clearProgress() {} };
  const options = { after: 0, predicate: 'http://example.org/name' };
  watch(facts, undefined, options, createTools(output)).catch(line.reject);
  expect(await line.promise).toBe('+ <http://example.org/ada> <http://example.org/name> "Ada"  (Read it)\n');
});

it('knowledge comes from files and goes to files', async () => {
  const more = file('more.nq', '<urn:a> <urn:p> "x"@en <urn:g> .\n<urn:a> <urn:p> <urn:b> .\n');
  expect(await knowledge('import', facts, more, '--justification', 'A file', '--graph', 'urn:other')).toMatchObject({
    code: 0,
    text: '2 statements read, 2 affected\n',
  });
  const { text } = await knowledge('export', facts, '--graph', 'urn:other');
  expect(text).toBe('<urn:a> <urn:p> <urn:b> <urn:other> .\n');
  const all = (await knowledge('export', facts)).text;
  expect(all).toContain('<urn:a> <urn:p> "x"@en <urn:g> .\n');
  expect(all).toContain('<http://example.org/ada> <http://example.org/name> "Ada" .\n');
  const lines = (await knowledge('export', facts, '--json')).text.trim().split('\n');
  expect(lines.map((line) => JSON.parse(line))).toContainEqual({
    ...ada('Ada'),
    provenance: { sourceAgentId: 'me', justification: 'Read it' },
  });
  expect(readFileSync(more, 'utf8')).toContain('urn:g');
});

it.each([
  [['query', 'PLAIN', count], 1, 'error: The card of Reference agent lists no knowledge graph'],
  [['query', 'FACTS', '{ nobody }'], 1, 'error: Cannot query field "nobody" on type "Query". (line 1, column 3)'],
  [['query', 'FACTS', '{ x }', '--language', 'sql'], 1, 'does not support sql; its card lists graphql'],
  [['query', 'FACTS', count, '--variables', '[]'], 2, 'error: --variables: expected a JSON object'],
  [['query', 'FACTS', count, '--certainty', '2'], 2, 'expected a number from 0 to 1'],
  [['query', 'FACTS', count, '--max-age', 'long'], 2, 'error: --max-age: expected a duration'],
  [['update', 'FACTS', join(dir, 'nothing.json')], 2, 'no such file'],
  [['import', 'FACTS', 'x.txt'], 2, 'use --format'],
  [['watch', 'FACTS', 'subscription { x }', '--type', 'urn:t'], 2, 'error: --type: cannot be combined with a query'],
])('the knowledge command %j ends with %i: %s', async (args, code, message) => {
  const named = args.map((arg) => ({ FACTS: facts, PLAIN: plain })[arg] ?? arg);
  const ended = await knowledge(...named);
  expect(ended).toMatchObject({ code, notes: expect.stringContaining(message) });
  expect(ended.notes.trim().split('\n')).toHaveLength(1);
});

it('knowledge that cannot be read is the file’s fault', async () => {
  const bad = file('bad.ttl', '<urn:a> <urn:p> .');
  const { code, notes } = await knowledge('import', facts, bad, '--justification', 'x');
  expect({ code, notes }).toEqual({ code: 2, notes: expect.stringMatching(/^error: .*bad\.ttl: .*line 1/) });
});
