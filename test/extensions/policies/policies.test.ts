import fc from 'fast-check';
import { expect, it } from 'vitest';
import { operations } from '../../../src/core/model/a2a.ts';
import type { Call, Reply } from '../../../src/core/model/call.ts';
import { A2AError } from '../../../src/core/model/errors.ts';
import { answerKey } from '../../../src/core/model/question.ts';
import type { SecurityEvent } from '../../../src/core/ports/audit.ts';
import { DecisionCounts } from '../../../src/extensions/policies/counts.ts';
import { compilePolicies, Policies } from '../../../src/extensions/policies/policies.ts';
import type { PeopleConfig, PolicyConfig } from '../../../src/gen/settings.ts';
import { silent } from '../../support/core.ts';

const people: PeopleConfig = { of: ['carol'], until: 3_600_000, otherwise: 'deny', quorum: 1, self: false };

type Given = Pick<PolicyConfig, 'name'> & Partial<PolicyConfig>;

/** Policies of a configuration, with what they write to the audit log and count. */
function policiesOf(...given: readonly Given[]) {
  const { policies, problems } = compilePolicies(given.map((one) => ({ log: 'refused', shadow: false, ...one })));
  expect(problems).toEqual([]);
  const audited: SecurityEvent[] = [];
  const counts = new DecisionCounts();
  const set = new Policies(policies, {
    agents: { get: () => undefined },
    store: { findRecord: async () => undefined },
    audit: (event) => void audited.push(event),
    logger: silent,
    counts,
    revalidate: (principal) => (principal.id === 'jwt:unknown' ? undefined : principal),
    pathOf: () => [],
  });
  const counted = (): string[] =>
    counts
      .family()
      .samples.flatMap(({ labels, value }) => (value > 0 ? [`${labels?.policy} ${labels?.outcome} ${value}`] : []));
  return { set, audited, counted };
}

function callOf(operation = 'SendMessage', metadata: Record<string, unknown> = {}, principal: object = {}): Call {
  return {
    operation,
    request: { message: { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'hello' }], metadata } },
    context: {
      requestId: 'r',
      agent: 'demo',
      tenant: '',
      principal: { id: 'key:alice', anonymous: false, ...principal },
      dialect: 'a2a-1.0',
      semantics: {},
      extensions: [],
      signal: new AbortController().signal,
      hops: 0,
      notes: { extensions: new Set(), losses: new Set() },
    },
  } as unknown as Call;
}

/** The call with which people's agreement gives an agent a message. */
const releaseOf = (id = 'key:alice'): Call =>
  callOf('SendMessage', { [answerKey]: { by: 'key:carol', way: 'link', releases: 1 } }, { id, byId: true });

/** Who asks about a call, or `refused`. */
async function outcomeOf({ set }: ReturnType<typeof policiesOf>, call: Call): Promise<readonly string[] | 'refused'> {
  const passed = set.intercept(async () => ({ value: {} }) as Reply)(call);
  try {
    await passed;
  } catch (thrown) {
    expect(A2AError.from(thrown).kind).toBe('permissionDenied');
    return 'refused';
  }
  return (call.context.asks ?? []).map(({ by }) => by);
}

it('all policies that ask about a call ask together, with their people and reasons', async () => {
  const more: PeopleConfig = {
    ...people,
    of: ['carol', 'dave'],
    quorum: 2,
    self: true,
    otherwise: 'allow',
    delegate: 'eve',
  };
  const policies = policiesOf(
    { name: 'payments', where: 'has(metadata.amount)', ask: people, reason: 'A payment' },
    { name: 'others', where: '!has(metadata.amount)', ask: people },
    { name: 'all', ask: more },
  );
  const call = callOf('SendMessage', { amount: 5 });
  await outcomeOf(policies, call);
  const { until: wait, ...rest } = people;
  expect(call.context.asks).toEqual([
    { ...rest, by: 'policy payments', reason: 'A payment', wait },
    { by: 'policy all', of: ['carol', 'dave'], quorum: 2, self: true, otherwise: 'allow', delegate: 'eve', wait },
  ]);
  expect(call.context.notes.policy).toBe('payments, all');
  expect(policies.counted()).toEqual(['payments asked 1', 'all asked 1']);
  expect(policies.audited).toEqual([
    expect.objectContaining({ event: 'policy.asked', policy: 'payments', reason: 'A payment', principal: 'key:alice' }),
    expect.objectContaining({ event: 'policy.asked', policy: 'all', agent: 'demo', operation: 'SendMessage' }),
  ]);
});

it.each<[string, Given]>([
  ['a deny that holds', { name: 'other', deny: 'agent == "demo"' }],
  ['an allow that is not met', { name: 'other', allow: 'agent == "another"' }],
  [
    'a deny of the webhook that it registers',
    { name: 'other', deny: 'operation == "CreateTaskPushNotificationConfig"' },
  ],
])('nobody is asked about a call that is refused by %s', async (_, other) => {
  const policies = policiesOf({ name: 'ask', ask: people }, other);
  const call = callOf();
  Object.assign(call.request, { configuration: { taskPushNotificationConfig: { url: 'http://localhost:9/' } } });
  expect(await outcomeOf(policies, call)).toBe('refused');
  expect(call.context.asks).toBeUndefined();
  expect(policies.counted()).toEqual(['other refused 1']);
});

it('people are asked about the operations that give an agent a message, and about no other', async () => {
  const asked: string[] = [];
  for (const { name } of operations) {
    const outcome = await outcomeOf(policiesOf({ name: 'ask', ask: people }), callOf(name));
    if (outcome.length > 0) asked.push(name);
  }
  expect(asked.sort()).toEqual(['SendMessage', 'SendStreamingMessage']);
});

it('a policy whose condition cannot be evaluated asks, and counts as failed', async () => {
  const policies = policiesOf({ name: 'amount', where: 'metadata.amount > 5', ask: people });
  expect(await outcomeOf(policies, callOf())).toEqual(['policy amount']);
  expect(policies.counted()).toEqual(['amount asked 1', 'amount failed 1']);
  expect(policies.audited).toEqual([
    expect.objectContaining({ event: 'policy.asked', reason: 'The policy cannot be evaluated' }),
  ]);
});

it('a policy in shadow asks nobody, and counts and logs that it would have', async () => {
  const policies = policiesOf({ name: 'watching', ask: people, shadow: true });
  const call = callOf();
  expect(await outcomeOf(policies, call)).toEqual([]);
  expect(call.context.notes.policy).toBeUndefined();
  expect(policies.counted()).toEqual(['watching shadow 1']);
  expect(policies.audited).toEqual([expect.objectContaining({ event: 'policy.shadow', policy: 'watching' })]);
});

it('people are not asked again when they have agreed, and a deny still holds', async () => {
  const ask: Given = { name: 'ask', ask: people };
  expect(await outcomeOf(policiesOf(ask), releaseOf())).toEqual([]);
  const closed: Given = { name: 'closed', deny: 'agent == "demo"' };
  expect(await outcomeOf(policiesOf(ask, closed), releaseOf())).toBe('refused');
  const notAlice: Given = { name: 'not-alice', deny: 'caller.id == "key:alice"' };
  expect(await outcomeOf(policiesOf(ask, notAlice), releaseOf())).toBe('refused');
});

it('an agreement is refused by no policy about what the message has that was judged when it came', async () => {
  const ofMessage = policiesOf(
    { name: 'amount', allow: 'metadata.amount < 5' },
    { name: 'size', deny: 'size < 10000 && mediaTypes == []' },
  );
  expect(await outcomeOf(ofMessage, releaseOf())).toEqual([]);
  const ofCaller = policiesOf({ name: 'scope', allow: '"payroll" in caller.scopes' });
  expect(await outcomeOf(ofCaller, releaseOf())).toBe('refused');
  // The scopes of this caller are in the token that it has sent.
  expect(await outcomeOf(ofCaller, releaseOf('jwt:unknown'))).toEqual([]);
});

it('a caller cannot say itself that people have agreed', async () => {
  const forged = callOf('SendMessage', { [answerKey]: { by: 'key:carol', way: 'link', releases: 1 } });
  expect(await outcomeOf(policiesOf({ name: 'ask', ask: people }), forged)).toEqual(['policy ask']);
});

it('a policy that asks hides no tools, ends no streams and stops no webhooks', () => {
  const { set } = policiesOf({ name: 'ask', ask: people });
  const principal = { id: 'key:alice', anonymous: false };
  expect(set.refusalFor(principal, 'demo', 'SendMessage', '', 'mcp')).toBeUndefined();
  expect(set.review({ principal, agent: 'demo', operation: 'SendStreamingMessage' } as never)).toBeUndefined();
  expect(set.webhookRefusal({ principal: 'key:alice', agent: 'demo', tenant: '' })).toBeUndefined();
});

/** A policy that is about the calls that match all that it names. */
const about = fc.record({
  effect: fc.constantFrom('deny', 'ask', 'allow' as const),
  agent: fc.constantFrom('demo', 'other', undefined),
  operation: fc.constantFrom('SendMessage', 'SendStreamingMessage', 'GetTask', undefined),
  shadow: fc.boolean(),
});

it('an agent gets no call that a policy refuses, and none about which people were not asked', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(about, { maxLength: 6 }),
      fc.constantFrom('SendMessage', 'SendStreamingMessage', 'GetTask', 'CancelTask'),
      async (rules, operation) => {
        const given = rules.map(({ effect, agent, operation: of, shadow }, at): Given => {
          const conditions = [agent && `agent == "${agent}"`, of && `operation == "${of}"`, 'true'].filter(Boolean);
          const where = conditions.join(' && ');
          const by = { deny: { deny: true }, allow: { allow: false }, ask: { ask: people } }[effect];
          return { name: `rule-${at}`, where, shadow, ...by };
        });
        const matching = given.filter(
          ({ shadow }, at) =>
            !shadow && (rules[at]?.agent ?? 'demo') === 'demo' && (rules[at]?.operation ?? operation) === operation,
        );
        const isRefused = matching.some(({ ask }) => !ask);
        const asked = operation.startsWith('Send') ? matching.map(({ name }) => `policy ${name}`) : [];
        expect(await outcomeOf(policiesOf(...given), callOf(operation))).toEqual(isRefused ? 'refused' : asked);
      },
    ),
    { numRuns: 500 },
  );
});
