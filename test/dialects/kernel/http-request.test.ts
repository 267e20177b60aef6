import fc from 'fast-check';
import { expect, it } from 'vitest';
import { api } from '../../../src/core/model/a2a.ts';
import { createRequestWriter } from '../../../src/dialects/kernel/http-request.ts';
import { createDialects } from '../../../src/dialects/registry.ts';
import { createRouter } from '../../../src/wire/http-rule.ts';

const face = createDialects().byName.get('a2a-1.0')?.rest;
if (face === undefined) throw new Error('v1 has no HTTP+JSON face');
const writer = createRequestWriter(face);
const router = createRouter(face.routes.map((route) => [route.rule, route]));

/** Ids as callers may choose them: anything that is not empty and can be text. */
const id = fc.string({ minLength: 1, unit: 'grapheme' }).filter((text) => text.isWellFormed());

const camel = (name: string): string => name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());

it.each(api.operations.map(({ name }) => name))(
  'a written request for %s finds the server route of the same operation',
  (operation) => {
    fc.assert(
      fc.property(id, id, fc.option(id, { nil: undefined }), (first, second, tenant) => {
        const request = { id: first, taskId: second, ...(tenant !== undefined && { tenant }) };
        const { verb, path, query, body } = writer.write(operation, request);
        const url = new URL('http://agent.example');
        url.pathname = path;
        if (!/%2E/.test(path)) expect(url.pathname).toBe(path);
        const match = router.match(verb, path);
        if (match === undefined || match.allow !== undefined) throw new Error(`no route for ${verb} ${path}`);
        expect(match.value.method.operation).toBe(operation);
        const fromPath = Object.entries(match.variables).map(([name, value]) => [camel(name), value]);
        const there = { ...Object.fromEntries(new URLSearchParams(query)), ...JSON.parse(body ?? '{}') };
        expect({ ...there, ...Object.fromEntries(fromPath) }).toEqual(request);
      }),
    );
  },
);

it('a written request puts into the query what the path does not hold', () => {
  const { path, query, body } = writer.write('ListTasks', {
    contextId: 'a b&c',
    pageSize: 5,
    includeArtifacts: false,
    status: 'TASK_STATE_WORKING',
    tenant: 'x/y',
    list: ['1', '2'],
    nested: { deep: { er: true } },
  });
  expect([path, body]).toEqual(['/x%2Fy/tasks', undefined]);
  expect(query).toBe(
    'contextId=a+b%26c&pageSize=5&includeArtifacts=false&status=TASK_STATE_WORKING&list=1&list=2&nested.deep.er=true',
  );
});

it('a written request cannot be without what its path needs', () => {
  expect(() => writer.write('GetTask', {})).toThrow(
    expect.objectContaining({ kind: 'invalidParams', violations: [expect.objectContaining({ field: 'id' })] }),
  );
  expect(() => writer.write('DeleteTaskPushNotificationConfig', { taskId: 't' })).toThrow(/id/);
  expect(writer.methodOf('Unheard')).toBeUndefined();
});
