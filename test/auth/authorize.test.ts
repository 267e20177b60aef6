import { expect, it } from 'vitest';
import { Authorizer } from '../../src/auth/authorize.ts';
import { api } from '../../src/core/model/a2a.ts';
import type { Call } from '../../src/core/model/call.ts';
import { hasScope, type Principal } from '../../src/core/model/principal.ts';
import { contextFor } from '../support/core.ts';
import { refusalOf, remembering } from './support.ts';

const services = [{ scope: 'tasks', operations: api.operations }];
const principal = (over: Partial<Principal> = {}): Principal => ({ id: 'key:alice', anonymous: false, ...over });

/** The operations that a principal may call. */
async function allowed(who: Principal, agent = 'demo'): Promise<string[]> {
  const { authorize } = new Authorizer({ services, audit: () => {} });
  const invoke = authorize(async () => ({ value: {} as never }));
  const names: string[] = [];
  for (const { name } of api.operations) {
    const call = { operation: name, request: {}, context: contextFor(agent, { principal: who }) } as unknown as Call;
    await invoke(call).then(
      () => names.push(name),
      (error) => expect(error.kind).toBe('permissionDenied'),
    );
  }
  return names;
}

const all = api.operations.map(({ name }) => name);
const reads = api.operations.filter(({ http }) => http[0]?.verb === 'GET').map(({ name }) => name);

it('operations are all open to those for whom no scopes are configured, and to tasks', async () => {
  expect(await allowed(principal())).toEqual(all);
  expect(await allowed(principal({ scopes: new Set(['tasks']) }))).toEqual(all);
});

it('operations that only read are open to tasks:read', async () => {
  expect(await allowed(principal({ scopes: new Set(['tasks:read']) }))).toEqual(reads);
  expect(reads).toContain('GetTask');
  expect(reads).not.toContain('SendMessage');
});

it.each([[[]], [['knowledge']], [['task']], [['tasks:']], [['metrics', 'tasks:write']], [['__proto__']]])(
  'operations are closed to %j',
  async (scopes) => expect(await allowed(principal({ scopes: new Set(scopes) }))).toEqual([]),
);

it('operations of other agents are closed', async () => {
  const who = principal({ agents: new Set(['weather']) });
  expect(await allowed(who, 'weather')).toEqual(all);
  expect(await allowed(who, 'demo')).toEqual([]);
});

it('operations that are not classified are closed', async () => {
  const { authorize } = new Authorizer({ services: [], audit: () => {} });
  const call = { operation: 'GetTask', request: { id: 'x' }, context: contextFor('demo') } as Call;
  expect((await refusalOf(() => authorize(async () => ({ value: {} as never }))(call))).kind).toBe('permissionDenied');
});

it('refusals are audited with who, what and where', async () => {
  const { audit, events } = remembering();
  const { authorize, checkAgent } = new Authorizer({ services, audit });
  const who = principal({ agents: new Set(['demo']), scopes: new Set(['tasks:read']) });
  const call = {
    operation: 'CancelTask',
    request: { id: 'x' },
    context: contextFor('demo', { principal: who }),
  } as Call;
  await refusalOf(() => authorize(async () => ({ value: {} as never }))(call));
  await refusalOf(() => checkAgent(who, 'weather', 'r1'));
  const common = { event: 'authorization.denied', principal: 'key:alice' };
  expect(events).toEqual([
    { ...common, reason: 'Scope tasks not granted', agent: 'demo', operation: 'CancelTask', request: 'test' },
    { ...common, reason: 'Agent not allowed', agent: 'weather', request: 'r1' },
  ]);
});

it('numbers about everybody are for those who were given them in so many words', () => {
  expect(hasScope(principal(), 'metrics')).toBe(false);
  expect(hasScope(principal({ scopes: new Set(['tasks', 'metrics']) }), 'metrics')).toBe(true);
});
