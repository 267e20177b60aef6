import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { readBundle } from '../../codegen/bundle.ts';
import { buildImage } from '../../codegen/image.ts';
import { describe as describeProto } from '../../codegen/model.ts';
import { overlay } from '../../codegen/overlay.ts';
import { writeBundle } from '../../codegen/update/write-bundle.ts';
import { versionProto, versions } from '../../codegen/versions.ts';
import { changeSpec, copyInputs, type Inputs, undescribed } from '../support/changed-proto.ts';

type Definitions = Record<string, { title: string }>;

/** The bundle that is written from the proto of a version, after a change of it. */
function written(version: string, change: (inputs: Inputs) => void = () => {}) {
  const inputs = copyInputs();
  change(inputs);
  const image = buildImage(inputs.protoDir, version);
  const file = `${version}/${versionProto}`;
  const bundle = writeBundle(image, file) as { definitions: Definitions };
  return { bundle, model: describeProto(image, file, overlay) };
}

test.each(versions)('the bundle of $name is that of the A2A project, apart from comments', ({ name }) => {
  const published = readFileSync(new URL(`../../codegen/schemas/${name}.json`, import.meta.url), 'utf8');
  expect(undescribed(written(name).bundle)).toBe(undescribed(JSON.parse(published)));
});

test('a proto with every kind of field has the bundle that the published plugin writes', () => {
  const recording = readFileSync(new URL('plugin-recording.jsonl', import.meta.url), 'utf8')
    .trimEnd()
    .split('\n');
  const [{ version }, ...schemas] = recording.map((line) => JSON.parse(line));
  const byId = schemas.sort((a, b) => (a.$id < b.$id ? -1 : 1)).map(({ $id: _, ...schema }) => schema);
  const own = Object.values(written(version, changeSpec).bundle.definitions);
  expect(own).toHaveLength(byId.length);
  for (const [at, schema] of own.entries()) {
    // The plugin makes the first paragraph of a long comment the title.
    const theirs = schema.title === 'Empty' ? { ...byId[at], title: 'Empty' } : byId[at];
    expect(undescribed(schema)).toBe(undescribed(theirs));
  }
});

test('a message that refers to itself, and nested messages of one name, can be read again', () => {
  const { bundle, model } = written(versions[0].name, (inputs) => {
    const nested = '  message Step { string label = 1; }\n  Step step = 1;\n';
    const text = `message Tree {\n  repeated Tree branches = 2;\n${nested}}\nmessage Stair {\n${nested}}\n\n`;
    inputs.editProto('// Asks for one task.\n', `${text}// Asks for one task.\n`);
  });
  const { messages } = readBundle(bundle, model);
  const fields = (name: string) => messages.find((message) => message.name === name)?.fields;
  expect(fields('Tree')).toContainEqual({ jsonName: 'branches', kind: 'message', type: 'Tree', repeated: true });
  expect(fields('Tree')).toContainEqual({ jsonName: 'step', kind: 'message', type: 'Tree_Step' });
  expect(fields('Stair')).toContainEqual({ jsonName: 'step', kind: 'message', type: 'Stair_Step' });
  for (const name of ['Tree_Step', 'Stair_Step']) {
    expect(fields(name)).toEqual([{ jsonName: 'label', kind: 'scalar', type: 'string' }]);
  }
});
