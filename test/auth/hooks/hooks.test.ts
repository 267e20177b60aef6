import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { createAuthenticator } from '../../../src/auth/authenticator.ts';
import { Authorizer } from '../../../src/auth/authorize.ts';
import { FailureLimiter } from '../../../src/auth/failure-limiter.ts';
import { createAuthorizeHook } from '../../../src/auth/hooks/authorize-hook.ts';
import { HookRunner } from '../../../src/auth/hooks/hook-runner.ts';
import { type AuthHooks, challenge } from '../../../src/auth/hooks/hooks.ts';
import type { AuthSettings } from '../../../src/auth/settings.ts';
import type { Agent } from '../../../src/core/model/agent.ts';
import type { Call } from '../../../src/core/model/call.ts';
import { A2AError } from '../../../src/core/model/errors.ts';
import { silent } from '../../support/core.ts';
import { callerWith, closed, keyOf, refusalOf, remembering } from '../support.ts';

/** Milliseconds for the answer of a hook. */
const timeout = 30;

const never = () => new Promise<never>(() => {});

function authenticator(authenticate: unknown, settings: Partial<AuthSettings> = {}, answersWithin = timeout) {
  const { audit, events } = remembering();
  const lines: object[] = [];
  const logger = { ...silent, error: (fields: object) => void lines.push(fields) };
  const hooks = { hooks: { authenticate } as AuthHooks, timeout: answersWithin, logger, id: 'one' };
  const all = { ...closed, ...settings };
  const failures = new FailureLimiter(all.failuresPerMinute, () => 0);
  return { authenticate: createAuthenticator({ settings: all, origins: [], failures, audit, hooks }), events, lines };
}

describe('a hook that authenticates', () => {
  it('a hook that authenticates sees every header, and says who the caller is, at once or later', async () => {
    const seen: unknown[] = [];
    const { authenticate, events } = authenticator((request: Parameters<NonNullable<AuthHooks['authenticate']>>[0]) => {
      seen.push(request.headers, request.header('X-Team'), request.path, request.binding, request.agent);
      const caller = { id: 'ada', agents: ['a'], scopes: ['tasks'], tenants: ['t'], attributes: { team: ['x'] } };
      return request.header('x-later') ? sleep(1).then(() => caller) : caller;
    });
    const principal = {
      id: 'own:ada',
      anonymous: false,
      agents: new Set(['a']),
      scopes: new Set(['tasks']),
      tenants: new Set(['t']),
      attributes: { team: ['x'] },
      credential: { kind: 'hook', hook: 'one' },
    };
    const facts = { path: '/a', binding: 'rest', agent: 'a' } as const;
    expect(authenticate(callerWith({ 'x-team': 'x' }, facts))).toEqual(principal);
    expect(seen).toEqual([{ 'x-team': 'x' }, 'x', '/a', 'rest', 'a']);
    await expect(authenticate(callerWith({ 'x-later': '1' }))).resolves.toEqual(principal);
    expect(events).toEqual([]);
  });

  it('a hook that authenticates leaves callers that it does not know to the built-in ways', async () => {
    const { authenticate } = authenticator(() => undefined, { apiKeys: [keyOf('bob', 'k')] });
    expect(authenticate(callerWith({ 'x-api-key': 'k' }))).toMatchObject({ id: 'key:bob' });
    expect((await refusalOf(() => authenticate(callerWith()))).kind).toBe('unauthenticated');
    const later = authenticator(async () => undefined, { anonymous: 'anyone' }).authenticate;
    expect(await later(callerWith())).toMatchObject({ id: 'anonymous' });
  });

  it('a hook that authenticates challenges callers, which counts as a wrong credential', async () => {
    const { authenticate, events } = authenticator(
      (request: { header(name: string): string | undefined }) =>
        request.header('authorization') === 'Token good'
          ? { id: 'ada' }
          : challenge('Token realm="mine"', 'That token is not known'),
      { failuresPerMinute: 2, apiKeys: [keyOf('bob', 'k')] },
    );
    const good = callerWith({ authorization: 'Token good' });
    expect(authenticate(good)).toMatchObject({ id: 'own:ada' });
    for (const _ of [1, 2]) {
      const refused = await refusalOf(() => authenticate(callerWith({ authorization: 'Token bad' })));
      expect(refused).toMatchObject({ kind: 'unauthenticated', challenge: 'Token realm="mine"' });
      expect(refused.message).toBe('That token is not known');
    }
    expect(events.map(({ event }) => event)).toEqual([
      ...['authentication.failed', 'authentication.failed', 'authentication.blocked'],
    ]);
    // Now the network is blocked, but not for credentials that were good before.
    expect((await refusalOf(() => authenticate(callerWith({ authorization: 'Token new' })))).kind).toBe(
      'tooManyRequests',
    );
    expect(authenticate(good)).toMatchObject({ id: 'own:ada' });
  });

  it.each([
    ['unauthenticated', new A2AError('unauthenticated', 'Renew it', { challenge: 'Token realm="x"' })],
    ['permissionDenied', new A2AError('permissionDenied', 'Not from there')],
    ['tooManyRequests', new A2AError('tooManyRequests', 'Slowly', { retryAfter: 3 })],
  ] as const)('a hook that authenticates refuses with an A2AError %s of its own', async (kind, error) => {
    for (const hook of [() => Promise.reject(error), () => thrown(error)]) {
      const { authenticate, lines } = authenticator(hook);
      const refused = await refusalOf(() => authenticate(callerWith()));
      expect(refused).toMatchObject({ kind, message: error.message, challenge: error.challenge });
      expect(lines).toEqual([]);
    }
  });

  const error = new Error('database password is hunter2');
  const loop: Record<string, unknown> = {};
  loop.loop = loop;
  it.each<[string, () => unknown, string]>([
    ['throws', () => thrown(error), 'it threw an error'],
    ['rejects', () => Promise.reject(error), 'it threw an error'],
    ['throws an internal error', () => thrown(new A2AError('internal')), 'it threw an error'],
    ['hangs', never, 'it gave no answer within 30 ms'],
    ['returns null', () => null, 'it returned null'],
    ['returns true', () => true, 'it returned boolean'],
    ['returns a text', () => 'ada', 'it returned string'],
    ['returns a list', () => [{ id: 'ada' }], 'it returned object'],
    ['returns a caller without id', () => ({}), 'it returned a caller whose id'],
    ['returns an empty id', () => ({ id: '' }), 'it returned a caller whose id'],
    ['returns a long id', () => ({ id: 'x'.repeat(257) }), 'it returned a caller whose id'],
    ['returns half of a character', () => ({ id: 'a\ud800' }), 'it returned a caller whose id'],
    ['returns a control character', () => ({ id: 'a\nb' }), 'it returned a caller whose id'],
    ['misspells scopes', () => ({ id: 'ada', scope: [] }), 'the unknown key "scope"'],
    ['returns scopes in a text', () => ({ id: 'ada', scopes: 'tasks' }), 'whose scopes is not a list'],
    ['returns agents that are numbers', () => ({ id: 'ada', agents: [1] }), 'whose agents is not a list'],
    ['returns null for tenants', () => ({ id: 'ada', tenants: null }), 'whose tenants is not a list'],
    ['returns an expiry in a text', () => ({ id: 'ada', expires: 'soon' }), 'whose expires is neither'],
    ['returns an invalid date', () => ({ id: 'ada', expires: new Date('x') }), 'whose expires is neither'],
    [
      'returns attributes in a circle',
      () => ({ id: 'ada', attributes: loop }),
      'attributes that are not a JSON object',
    ],
    ['returns attributes in a list', () => ({ id: 'ada', attributes: [] }), 'attributes that are not a JSON object'],
    ['returns large attributes', () => ({ id: 'ada', attributes: { x: 'x'.repeat(8_192) } }), 'more than 8192 bytes'],
    ['challenges with two lines', () => challenge('a\r\nb: c'), 'its challenge is not a valid value'],
    ['challenges with nothing', () => challenge(''), 'its challenge is not a valid value'],
  ])('a hook that %s lets no caller in', async (_, hook, problem) => {
    const { authenticate, events, lines } = authenticator(hook, { anonymous: 'anyone' });
    const refused = await refusalOf(() => authenticate(callerWith()));
    expect(refused).toMatchObject({ kind: 'unavailable', message: 'Callers cannot be authenticated at the moment' });
    expect(events).toMatchObject([{ event: 'authentication.failed', reason: expect.stringContaining(problem) }]);
    expect(JSON.stringify(events)).not.toContain('hunter2');
    expect(lines).toMatchObject([{ hook: 'authenticate' }]);
  });

  it('a hook that authenticates refuses a caller whose credential has expired', async () => {
    const { authenticate } = authenticator(() => ({ id: 'ada', expires: Date.now() - 1 }));
    expect(await refusalOf(() => authenticate(callerWith()))).toMatchObject({ kind: 'unauthenticated' });
    const until = Date.now() + 60_000;
    const valid = authenticator(() => ({ id: 'ada', expires: new Date(until) })).authenticate;
    expect(valid(callerWith())).toMatchObject({ until });
  });

  it('a hook that authenticates aborts the signal of a hook that takes too long', async () => {
    let reason: unknown;
    const { authenticate } = authenticator((_: unknown, { signal }: { signal: AbortSignal }) => {
      signal.addEventListener('abort', () => {
        reason = signal.reason;
      });
      return never();
    });
    await refusalOf(() => authenticate(callerWith()));
    expect(String(reason)).toContain('it gave no answer within 30 ms');
  });

  it('a hook that authenticates admits no page of another origin by its cookie', async () => {
    const { authenticate } = authenticator(() => ({ id: 'ada' }));
    const json = { cookie: 'session=1', 'content-type': 'application/json' };
    const foreign = callerWith({ ...json, origin: 'https://evil.example' });
    expect((await refusalOf(() => authenticate(foreign))).kind).toBe('permissionDenied');
    const form = callerWith({ cookie: 'session=1', 'content-type': 'text/plain' });
    expect((await refusalOf(() => authenticate(form))).kind).toBe('contentTypeNotSupported');
    expect(authenticate(callerWith({ ...json, origin: 'https://agents.example.com' }))).toMatchObject({
      id: 'own:ada',
    });
  });

  it('a hook that authenticates recognises its own callers after a reload, and not those of another hook', () => {
    const { authenticate } = authenticator(() => ({ id: 'ada' }));
    const principal = { id: 'own:ada', anonymous: false } as const;
    const by = (hook: string) => authenticate.revalidate({ ...principal, credential: { kind: 'hook', hook } });
    expect(by('one')).toMatchObject({ id: 'own:ada' });
    expect(by('another')).toBeUndefined();
  });
});

describe('hooks that do not answer', () => {
  const runnerOf = (timeout: number) => new HookRunner({ name: 'authenticate', timeout, logger: silent, maxOpen: 40 });
  const stranger = (of: string) => ({ of, accepted: () => undefined });
  const accepted = (of: string, credential: string) => ({ of, accepted: () => credential });

  it('hooks that do not answer are asked a bounded number of times at once, for one network and for all', async () => {
    const runner = runnerOf(20);
    const answers: unknown[] = [];
    const fill = (one: string): void => {
      for (const _ of [1, 2, 3, 4]) answers.push(runner.ask(stranger(one), never));
      expect(() => runner.ask(stranger(one), never)).toThrow('too many calls');
    };
    // A tenth is for one network, and one half for all callers who were never accepted before.
    for (const network of ['a', 'b', 'c', 'd', 'e']) fill(network);
    expect(() => runner.ask(stranger('f'), never)).toThrow('too many calls');
    for (const credential of ['v', 'w', 'x', 'y', 'z']) {
      for (const _ of [1, 2, 3, 4]) answers.push(runner.ask(accepted('a', credential), never));
      expect(() => runner.ask(accepted('a', credential), never)).toThrow('too many calls');
    }
    expect(() => runner.ask(accepted('a', 'more'), never)).toThrow('too many calls');
    await Promise.allSettled(answers as Promise<unknown>[]);
    // A call that timed out leaves its place to others.
    expect(runner.ask(stranger('a'), () => 'now')).toBe('now');
  });

  it('hooks that do not answer leave their places when they end, also when they throw or end late', async () => {
    const runner = new HookRunner({ name: 'authorize', timeout: 20, logger: silent, maxOpen: 2 });
    for (const _ of [1, 2, 3]) expect(await runner.ask(stranger('a'), async () => 'yes')).toBe('yes');
    for (const _ of [1, 2, 3]) {
      await expect(runner.ask(stranger('a'), () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    }
    const { promise, resolve } = Promise.withResolvers<string>();
    await expect(runner.ask(stranger('a'), () => promise)).rejects.toThrow('no answer within 20 ms');
    const next = runner.ask(stranger('a'), never);
    resolve('late');
    await promise;
    expect(() => runner.ask(stranger('a'), never)).toThrow('too many calls');
    await expect(next).rejects.toThrow('no answer within 20 ms');
  });
});

describe('a credential that was accepted before', () => {
  /** A hook that wants a second factor beside a key, and leaves the key to the built-in ways. */
  const secondFactor = (request: Parameters<NonNullable<AuthHooks['authenticate']>>[0]) =>
    request.header('x-otp') === '123456' ? undefined : challenge('Otp', 'The second factor is missing or wrong');
  const withKey = (key: string, otp: string) => callerWith({ 'x-api-key': key, 'x-otp': otp });
  const apiKeys = [keyOf('bob', 'k'), keyOf('eve', 'e')];

  it('a credential that was accepted before is still shown to the hook after any number of refusals', async () => {
    const { authenticate } = authenticator(secondFactor, { apiKeys, failuresPerMinute: 20 });
    expect(authenticate(withKey('e', '123456'))).toMatchObject({ id: 'key:eve' });
    expect(authenticate(withKey('k', '123456'))).toMatchObject({ id: 'key:bob' });
    const kinds = [];
    for (let n = 1; n <= 25; n += 1) kinds.push((await refusalOf(() => authenticate(withKey('e', `${n}`)))).kind);
    expect(kinds).toEqual([...Array(20).fill('unauthenticated'), ...Array(5).fill('tooManyRequests')]);
    // Others of the network are served, and are asked for the second factor all the same.
    expect(authenticate(withKey('k', '123456'))).toMatchObject({ id: 'key:bob' });
    expect((await refusalOf(() => authenticate(withKey('k', '0')))).kind).toBe('unauthenticated');
    expect((await refusalOf(() => authenticate(withKey('k', '1')))).kind).toBe('tooManyRequests');
  });

  it.each<[string, () => unknown]>([
    ['throws', () => thrown(new Error('down'))],
    ['rejects', () => Promise.reject(new Error('down'))],
    ['hangs', never],
    ['answers late', () => sleep(3 * timeout).then(() => undefined)],
  ])('a credential that was accepted before lets no caller in while the hook %s', async (_, failing) => {
    let hook: () => unknown = () => undefined;
    const { authenticate } = authenticator(() => hook(), { apiKeys, failuresPerMinute: 2 });
    const bob = callerWith({ 'x-api-key': 'k' });
    expect(authenticate(bob)).toMatchObject({ id: 'key:bob' });
    const refuse = async () => refusalOf(() => authenticate(callerWith({ 'x-api-key': 'wrong' })));
    expect([(await refuse()).kind, (await refuse()).kind, (await refuse()).kind]).toEqual([
      ...['unauthenticated', 'unauthenticated', 'tooManyRequests'],
    ]);
    hook = failing;
    expect((await refusalOf(() => authenticate(bob))).kind).toBe('unavailable');
    hook = () => undefined;
    expect(authenticate(bob)).toMatchObject({ id: 'key:bob' });
  });

  it('a credential that was accepted before is asked about while a network has used up its share of a hook that hangs', async () => {
    const hanging = Promise.withResolvers<undefined>();
    const { authenticate } = authenticator(
      (request: { header(name: string): string | undefined }) =>
        request.header('x-api-key') === undefined ? hanging.promise : sleep(1).then(() => undefined),
      { apiKeys, anonymous: 'anyone' },
      60_000,
    );
    const bob = callerWith({ 'x-api-key': 'k' });
    expect(await authenticate(bob)).toMatchObject({ id: 'key:bob' });
    const flood = Array.from({ length: 1_000 }, async () => authenticate(callerWith()));
    // All calls of this network are open: a credential that is new there gets no answer, others do.
    expect((await refusalOf(() => authenticate(callerWith({ 'x-api-key': 'e' })))).kind).toBe('unavailable');
    expect(await authenticate(bob)).toMatchObject({ id: 'key:bob' });
    const elsewhere = callerWith({ 'x-api-key': 'e' }, { remoteAddress: '198.51.100.7' });
    expect(await authenticate(elsewhere)).toMatchObject({ id: 'key:eve' });
    hanging.resolve(undefined);
    expect(new Set((await Promise.all(flood)).map(({ id }) => id))).toEqual(new Set(['anonymous']));
    expect(await authenticate(callerWith({ 'x-api-key': 'e' }))).toMatchObject({ id: 'key:eve' });
  });

  /** Whether bob is still served while others, with these headers, wait for a hook that hangs. */
  const whileOthersWait = async (headers: (n: number) => Record<string, string>) => {
    let hook: () => unknown = () => undefined;
    const { authenticate } = authenticator(() => hook(), { apiKeys, anonymous: 'anyone' }, 60_000);
    const bob = callerWith({ 'x-api-key': 'k' });
    const others = Array.from({ length: 10_000 }, (_, n) => callerWith(headers(n)));
    // All of them are accepted before the hook hangs.
    for (const other of others) authenticate(other);
    expect(authenticate(bob)).toMatchObject({ id: 'key:bob' });
    const hanging = Promise.withResolvers<undefined>();
    hook = () => hanging.promise;
    const waiting = others.map(async (other) => authenticate(other));
    hook = async () => undefined;
    const served = await Promise.resolve(authenticate(bob)).finally(() => hanging.resolve(undefined));
    await Promise.allSettled(waiting);
    return served;
  };

  it('a credential that was accepted before has one share of the calls with all that its holder shows beside it', async () => {
    expect(await whileOthersWait((n) => ({ 'x-api-key': 'e', cookie: `c=${n}` }))).toMatchObject({ id: 'key:bob' });
  });

  it('a credential that was accepted before is not what an anonymous caller shows', async () => {
    expect(await whileOthersWait((n) => ({ cookie: `c=${n}` }))).toMatchObject({ id: 'key:bob' });
  });
});

function thrown(error: unknown): never {
  throw error;
}

const call = (operation: string, request: object = {}, over: object = {}): Call =>
  ({
    operation,
    request,
    context: { agent: 'a', tenant: '', requestId: 'r', principal: { id: 'p', anonymous: false }, notes: {}, ...over },
  }) as unknown as Call;

function authorizer(authorize: unknown, agent?: Agent) {
  const { audit, events } = remembering();
  const lines: object[] = [];
  const logger = { ...silent, error: (fields: object) => void lines.push(fields) };
  const hook = createAuthorizeHook({
    hooks: { authorize } as AuthHooks,
    timeout,
    logger,
    id: 'one',
    audit,
    agents: { get: () => agent },
  });
  const services = [{ scope: 'tasks', operations: [{ name: 'SendMessage' }] }];
  const { authorize: middleware } = new Authorizer({ services, audit, hook });
  const invoke = middleware(async () => ({ value: 'done' }) as never);
  return { invoke, events, lines };
}

it('a hook that authorizes is asked about each call that scopes and agents allow, and both answers are audited', async () => {
  const questions: unknown[] = [];
  const { invoke, events } = authorizer((question: { skill?: string }) => {
    questions.push(question);
    return { allowed: question.skill === 'read', reason: `skill ${question.skill}` };
  });
  const message = (skillId: string) => ({ tenant: 't', message: { parts: [], metadata: { skillId } } });
  expect(await invoke(call('SendMessage', message('read')))).toEqual({ value: 'done' });
  const refused = await refusalOf(() => invoke(call('SendMessage', message('write'))));
  expect(refused).toMatchObject({ kind: 'permissionDenied', message: expect.not.stringContaining('skill write') });
  expect(questions[0]).toEqual({
    principal: { id: 'p', anonymous: false },
    operation: 'SendMessage',
    agent: 'a',
    tenant: 't',
    skill: 'read',
    request: message('read'),
  });
  const facts = { principal: 'p', agent: 'a', operation: 'SendMessage', request: 'r' };
  expect(events).toEqual([
    { event: 'authorization.allowed', reason: 'skill read', skill: 'read', ...facts },
    { event: 'authorization.denied', reason: 'skill write', skill: 'write', ...facts },
  ]);
});

it('a hook that authorizes learns the skill from an agent that chooses it, and the agent learns that it was judged', async () => {
  const skills: unknown[] = [];
  const agent = { skillOf: async () => 'fs.delete_all' } as unknown as Agent;
  const { invoke } = authorizer(({ skill }: { skill?: string }) => {
    skills.push(skill);
    return true;
  }, agent);
  const asked = call('SendMessage', { message: { parts: [{ data: { tool_name: 'DELETE-ALL' } }] } });
  await invoke(asked);
  expect(skills).toEqual(['fs.delete_all']);
  expect(asked.context.notes.skill).toBe('fs.delete_all');
});

it('a hook that authorizes is not asked about a call that is refused anyway', async () => {
  let asked = 0;
  const { invoke } = authorizer(() => {
    asked += 1;
    return true;
  });
  const principal = { id: 'p', anonymous: false, agents: new Set(['other']) };
  expect((await refusalOf(() => invoke(call('SendMessage', {}, { principal })))).kind).toBe('permissionDenied');
  expect(asked).toBe(0);
});

it.each<[string, () => unknown, string, string]>([
  ['says no', () => false, 'permissionDenied', 'The authorize hook denied the call'],
  ['says no later', async () => false, 'permissionDenied', 'The authorize hook denied the call'],
  ['throws', () => thrown(new Error('hunter2')), 'unavailable', 'it threw an error'],
  ['rejects', () => Promise.reject(new Error('hunter2')), 'unavailable', 'it threw an error'],
  ['hangs', never, 'unavailable', 'no answer within 30 ms'],
  ['returns nothing', () => undefined, 'unavailable', 'neither true, false nor'],
  ['returns a text', () => 'yes', 'unavailable', 'neither true, false nor'],
  ['returns a text in place of a switch', () => ({ allowed: 'yes' }), 'unavailable', 'neither true, false nor'],
  ['returns a promise of nothing', async () => undefined, 'unavailable', 'neither true, false nor'],
  ['throws a refusal', () => thrown(new A2AError('permissionDenied', 'No')), 'permissionDenied', 'hook refused'],
])('a hook that authorizes that %s lets no call through', async (_, hook, kind, reason) => {
  const { invoke, events } = authorizer(hook);
  expect((await refusalOf(() => invoke(call('SendMessage')))).kind).toBe(kind);
  expect(events).toMatchObject([{ event: 'authorization.denied', reason: expect.stringContaining(reason) }]);
  expect(JSON.stringify(events)).not.toContain('hunter2');
});

describe('callers with tenants', () => {
  const services = [{ scope: 'tasks', operations: [{ name: 'SendMessage' }] }];
  const tenants = (...names: string[]) => ({ principal: { id: 'p', anonymous: false, tenants: new Set(names) } });
  it.each<[string, object, object, string | undefined]>([
    ['may name theirs', { tenant: 'a' }, tenants('a', 'b'), undefined],
    ['may not name another', { tenant: 'c' }, tenants('a', 'b'), 'may not act for the tenant c'],
    ['must name one of several', {}, tenants('a', 'b'), 'must name one of its tenants'],
    ['need not name the only one', {}, tenants('a'), undefined],
    ['have none with an empty list', {}, tenants(), 'must name one of its tenants'],
  ])('callers with tenants %s', async (_, request, over, problem) => {
    const { audit, events } = remembering();
    const invoke = new Authorizer({ services, audit }).authorize(async () => ({ value: 'done' }) as never);
    const calling = invoke(call('SendMessage', request, over));
    if (problem === undefined) expect(await calling).toEqual({ value: 'done' });
    else {
      expect(await refusalOf(() => calling)).toMatchObject({
        kind: 'permissionDenied',
        message: `The caller ${problem}`,
      });
      expect(events).toMatchObject([{ event: 'authorization.denied', principal: 'p' }]);
    }
  });
});
