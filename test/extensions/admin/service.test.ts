import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { Call } from '../../../src/core/model/call.ts';
import { createAdminService } from '../../../src/extensions/admin/service.ts';
import type { AddedHandlers } from '../../../src/extensions/handlers.ts';
import { extensions } from '../../../src/gateway/compose/extensions.ts';
import { operations } from '../../../src/gen/admin-v1/operations.ts';
import { adminHeaders, openGateway } from '../../support/gateway.ts';

const handlersOf = (names: readonly string[]): AddedHandlers => ({
  handlers: Object.fromEntries(names.map((name) => [name, async () => ({ value: {} })])),
});
const names = operations.map(({ name }) => name);
const create = (...parts: AddedHandlers[]) => createAdminService({ parts, audit: () => {} });

describe('the admin service', () => {
  it('the admin service is created from parts that carry out each operation once', () => {
    expect(create(handlersOf(names.slice(0, 5)), handlersOf(names.slice(5)))).toBeTypeOf('function');
  });

  it('the admin service names an operation that no part carries out', () => {
    expect(() => create(handlersOf(names.filter((name) => name !== 'ListStops')))).toThrow(/with several: ListStops$/);
  });

  it('the admin service names an operation that two parts carry out', () => {
    expect(() => create(handlersOf(names), handlersOf(['ListQuestions']))).toThrow(/with several: ListQuestions$/);
  });

  it('an answer that a view reads again has one line of the audit log for each caller, and another one when it changes or after an hour', async () => {
    vi.useFakeTimers({ toFake: ['performance'] });
    onTestFinished(() => void vi.useRealTimers());
    const lines: unknown[] = [];
    let settings: object = { limits: 1 };
    const of = { GetConfig: async () => ({ value: { settings } }) } as unknown as AddedHandlers['handlers'];
    const parts: AddedHandlers[] = [
      handlersOf(names.filter((name) => name !== 'GetConfig')),
      { handlers: of, confidential: ['GetConfig', 'InspectTask'], polled: ['GetConfig'] },
    ];
    const service = createAdminService({
      parts,
      audit: ({ operation, principal }) => lines.push([operation, principal]),
    });
    const call = (id: string, operation = 'GetConfig', request = {}) =>
      service({ operation, request, context: { principal: { id }, requestId: 'one' } } as unknown as Call);
    for (const id of ['key:ada', 'key:ada', 'key:bob', 'key:ada']) await call(id);
    expect(lines.splice(0)).toEqual([
      ['GetConfig', 'key:ada'],
      ['GetConfig', 'key:bob'],
    ]);
    settings = { limits: 2 };
    await call('key:ada');
    await call('key:ada');
    expect(lines.splice(0)).toEqual([['GetConfig', 'key:ada']]);
    vi.advanceTimersByTime(3_600_000);
    await call('key:ada');
    expect(lines.splice(0)).toEqual([['GetConfig', 'key:ada']]);
    for (let at = 0; at < 2; at += 1) await call('key:ada', 'InspectTask', { key: 'task' });
    expect(lines).toHaveLength(2);
  });

  it('the admin service restricts callers of operations that exist alone', () => {
    const restricted = extensions.flatMap(({ restricted: own = {} }) => Object.keys(own));
    expect(restricted.length).toBeGreaterThan(0);
    expect(names).toEqual(expect.arrayContaining(restricted));
    expect(new Set(restricted).size).toBe(restricted.length);
  });

  const agents = { demo: { kind: 'reference' } };
  const configurations = {
    'nothing but an agent': { agents },
    'no agent': { registration: { allow: true } },
    'no pages and no console': { agents, pages: false, console: false },
    'no words for operators': { agents, console: { content: false } },
    'policies, registration, questions and knowledge': {
      agents: { demo: { kind: 'reference', knowledge: true } },
      registration: { allow: true, approve: 'never' },
      questions: { deadline: '1h' },
      policies: [{ name: 'none', deny: 'false' }],
      fullText: true,
    },
  };

  it.each(Object.entries(configurations))(
    'the admin service has one handler for each operation with %s',
    async (_, settings) => {
      const { url } = await openGateway(JSON.stringify(settings));
      const response = await fetch(`${url}/admin/v1/agents`, { headers: adminHeaders(url) });
      expect(response.status).toBe(200);
    },
  );
});
