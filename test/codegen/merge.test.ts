import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { mergeBundle, mergeProto } from '../../codegen/update/merge.ts';

const read = (path: string): string => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
const proto = read('proto/a2a-1.1/lf/a2a/v1/a2a.proto');
const bundle = read('codegen/schemas/a2a-1.1.json');

/** The proto with other comments and spaces, and an option in the other syntax. */
const reworded = proto
  .replace(/^( *)\/\/.*$/gm, '$1// Something else.')
  .replaceAll('additional_bindings {', 'additional_bindings: {')
  .replace(/^ {2}(\w+ \w+ = \d+;)$/gm, '\t$1 // behind');

test('other comments and formatting leave the vendored proto as it is', () => {
  expect(reworded).not.toBe(proto);
  const merged = mergeProto(proto, reworded);
  expect(merged.text).toBe(proto);
  expect(merged.comments).toBeGreaterThan(100);
});

test('new declarations come with their comments, all others keep theirs', () => {
  const grown = reworded
    .replace('message Task {', 'message Task {\n  // How urgent it is.\n  int32 priority = 20;')
    .replace(
      'service A2AService {',
      'service A2AService {\n  // Rests.\n  rpc Rest(CancelTaskRequest) returns (Task) {\n  }',
    );
  const expected = proto
    .replace('message Task {', 'message Task {\n  // How urgent it is.\n  int32 priority = 20;')
    .replace(
      'service A2AService {',
      'service A2AService {\n  // Rests.\n  rpc Rest(CancelTaskRequest) returns (Task) {\n  }',
    );
  expect(mergeProto(proto, grown).text).toBe(expected);
});

test('a vendored proto keeps what it has beyond the one that the newer one was made from', () => {
  const base = read('proto/a2a-1.0/lf/a2a/v1/a2a.proto');
  expect(base).not.toContain('generation');
  const newer = base
    .replace('message Task {', 'message Task {\n  // How urgent it is.\n  int32 priority = 20;')
    .replace(/^message StringList \{[\s\S]*?^\}\n/m, '');
  const merged = mergeProto(proto, newer, base);
  const expected = proto
    .replace('message Task {', 'message Task {\n  // How urgent it is.\n  int32 priority = 20;')
    .replace(/\n+(?:\/\/[^\n]*\n)*message StringList \{[\s\S]*?^\}/m, '');
  expect(merged.text).toBe(expected);
  expect(mergeProto(proto, base, base).text).toBe(proto);
});

test('removed declarations go with their comments', () => {
  const shrunk = reworded.replace(/^message CancelTaskRequest \{[\s\S]*?^\}\n/m, '');
  const merged = mergeProto(proto, shrunk).text;
  expect(merged).not.toContain('message CancelTaskRequest');
  expect(
    proto
      .split('\n')
      .filter((line) => !merged.includes(line))
      .join('\n'),
  ).toContain('message CancelTaskRequest {');
});

test('a bundle keeps its descriptions, its order and its form', () => {
  const newer = JSON.parse(bundle);
  newer.definitions.Task.description = 'Something else.';
  newer.definitions.Task.properties = { priority: { type: 'string' }, ...newer.definitions.Task.properties };
  const expected = JSON.parse(bundle);
  expected.definitions.Task.properties = newer.definitions.Task.properties;
  expect(mergeBundle(bundle, newer, 'lf.a2a.v1')).toEqual({
    text: `${JSON.stringify(expected, undefined, 2)}\n`,
    comments: 1,
  });
});

test('a bundle with $defs is written with definitions', () => {
  const { definitions, ...rest } = JSON.parse(bundle);
  const named = (title: string): string => title.replaceAll(' ', '');
  const entries = Object.entries(definitions).map(([title, schema]) => [named(title), schema]);
  const text = JSON.stringify({ ...rest, $defs: Object.fromEntries(entries) });
  const newer = text.replaceAll(/"(?:lf\.a2a\.v1|google\.protobuf)\.(\w+)\.jsonschema\.json"/g, '"#/$$defs/$1"');
  expect(newer).toContain('"#/$defs/Artifact"');
  expect(mergeBundle(bundle, JSON.parse(newer), 'lf.a2a.v1')).toEqual({ text: bundle, comments: 0 });
});
