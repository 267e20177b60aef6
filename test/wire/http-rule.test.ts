import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { operations as v1 } from '../../src/core/model/a2a.ts';
import { operations as v03 } from '../../src/gen/a2a-v0_3/operations.ts';
import type { HttpRule } from '../../src/gen/operations.ts';
import { compilePath, createRouter, type PathVariables } from '../../src/wire/http-rule.ts';

const get = (path: string): HttpRule => ({ verb: 'GET', path });
const router = (...paths: string[]) => createRouter(paths.map((path) => [get(path), path] as const));

/** A value that fits a variable: the literals of its pattern, and anything for the wildcards. */
const valueFor = (path: string, field: string): fc.Arbitrary<string> => {
  const pattern = new RegExp(`\\{${field}=([^}]+)\\}`).exec(path)?.[1] ?? '*';
  const text = fc.string({ unit: 'binary', minLength: 1 });
  const parts = pattern.split('/').map((segment) => {
    if (segment !== '*') return fc.constant(segment);
    return pattern === '*' ? text : text.filter((each) => !/\/|%2f/i.test(each));
  });
  return fc.tuple(...parts).map((each) => each.join('/'));
};

describe('HTTP rules', () => {
  for (const [generation, operations] of Object.entries({ v1, v03 })) {
    const rules = operations.flatMap((operation) => operation.http.map((rule) => ({ rule, name: operation.name })));
    const routes = createRouter(rules.map((each) => [each.rule, each] as const));

    it.each(rules)(`HTTP rules of ${generation} lead $name $rule.verb $rule.path there and back`, ({ rule, name }) => {
      const format = compilePath(rule);
      const values = fc.record(Object.fromEntries(format.fields.map((field) => [field, valueFor(rule.path, field)])));
      fc.assert(
        fc.property(values, (given) => {
          const variables = given as PathVariables;
          const path = format.format((field) => variables[field]);
          expect(path).toMatch(/^\/[\x21-\x7e]*$/);
          const found = routes.match(rule.verb, path as string);
          if (found?.allow || !found) throw new Error(`${path} is not found`);
          // A tenant named like a literal (`/tasks/tasks`) is that literal's route.
          if ('tenant' in variables && found.value.rule !== rule) return;
          expect(found.value.name).toBe(name);
          expect(found.variables).toEqual(variables);
        }),
      );
    });
  }

  it('HTTP rules prefer literal segments, and go back where they lead nowhere', () => {
    const routes = router('/{tenant}/tasks', '/tasks/{id=*}', '/tasks/{id=*}:cancel', '/a/b', '/{x=a}/{y}/c');
    const match = (path: string) => routes.match('GET', path);
    expect(match('/tasks/tasks')).toEqual({ value: '/tasks/{id=*}', variables: { id: 'tasks' } });
    expect(match('/t/tasks')).toEqual({ value: '/{tenant}/tasks', variables: { tenant: 't' } });
    expect(match('/a/b/c')).toEqual({ value: '/{x=a}/{y}/c', variables: { x: 'a', y: 'b' } });
    expect(match('/tasks/1:cancel')).toMatchObject({ variables: { id: '1' }, value: '/tasks/{id=*}:cancel' });
    expect(match('/tasks/1:other')).toMatchObject({ variables: { id: '1:other' }, value: '/tasks/{id=*}' });
    expect(match('/tasks/1%3Acancel')).toMatchObject({ variables: { id: '1:cancel' }, value: '/tasks/{id=*}' });
  });

  it.each(['/tasks/', '/tasks//x', '/', '//tasks', '/nothing', '/tasks/:cancel/x', '/tasks/1/2/3'])(
    'HTTP rules do not match %s',
    (path) => expect(router('/tasks/{id=*}', '/{tenant}/tasks').match('GET', path)).toBeUndefined(),
  );

  it('HTTP rules tell which verbs a path has', () => {
    const routes = createRouter([
      [get('/tasks/{id}'), 1],
      [{ verb: 'DELETE', path: '/tasks/{name}' }, 2],
    ]);
    expect(routes.match('PUT', '/tasks/x')).toEqual({ allow: ['GET', 'DELETE'] });
    expect(routes.match('DELETE', '/tasks/x')).toEqual({ value: 2, variables: { name: 'x' } });
  });

  it.each(['%', '%zz', '%E0%A4%A', '%ff'])(
    'HTTP rules refuse the malformed escape %s and name the field',
    (malformed) => {
      expect(() => router('/tasks/{id=*}').match('GET', `/tasks/a${malformed}`)).toThrow(
        expect.objectContaining({ kind: 'invalidParams', violations: [expect.objectContaining({ field: 'id' })] }),
      );
    },
  );

  it('HTTP rules format nothing when a value is missing, empty or not well-formed', () => {
    const format = compilePath(get('/tasks/{id=*}'));
    for (const value of [undefined, '', '\ud800']) expect(format.format(() => value)).toBeUndefined();
  });

  it.each(['tasks', '/a//b', '/{a', '/{a=**}', '/{a=**}/b', '/a/*', '/a}'])(
    'HTTP rules refuse %s as a template',
    (path) => {
      expect(() => compilePath(get(path))).toThrow(TypeError);
    },
  );

  it('HTTP rules never crash on a path', () => {
    const routes = createRouter(v1.flatMap((operation) => operation.http.map((rule) => [rule, operation.name])));
    fc.assert(
      fc.property(fc.webPath(), fc.string(), (path, junk) => {
        for (const each of [path, `/${junk}`, `/tasks/${junk}`]) {
          try {
            routes.match('GET', each);
          } catch (thrown) {
            expect(thrown).toHaveProperty('kind', 'invalidParams');
          }
        }
      }),
    );
  });
});
