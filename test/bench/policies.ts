import type { Call, Invoke } from '../../src/core/model/call.ts';
import { DecisionCounts } from '../../src/extensions/policies/counts.ts';
import { compilePolicies, Policies } from '../../src/extensions/policies/policies.ts';
import { silent } from '../support/core.ts';
import { type Measured, median, ratio, rounded, type Settings } from './part.ts';

/** Policies of the usual kinds, none of which refuses the message of this benchmark. */
export const tenPolicies = [
  { name: 'a', where: 'agent == "payroll"', allow: '"payroll" in caller.scopes' },
  { name: 'b', where: 'operation == "CancelTask"', deny: 'caller.anonymous' },
  { name: 'c', deny: 'dialect in ["a2a-0.1", "agentvault-0.2"]' },
  { name: 'd', deny: 'operation == "CreateTaskPushNotificationConfig" && caller.id != "key:ops"' },
  { name: 'e', deny: 'skill.startsWith("admin") && !("admin" in caller.scopes)' },
  { name: 'f', where: 'tenant == "acme"', deny: 'binding == "mcp"' },
  { name: 'g', deny: 'size > 100000' },
  { name: 'h', where: 'has(metadata.amount)', deny: 'metadata.amount > 100' },
  { name: 'i', deny: 'mediaTypes.exists(type, type.startsWith("image/"))' },
  { name: 'j', deny: '"https://example.com/beta" in extensions' },
];

const call = {
  operation: 'SendMessage',
  request: { message: { messageId: 'm-1', role: 'ROLE_USER', parts: [{ text: 'a message of some words' }] } },
  context: {
    requestId: 'r',
    agent: 'demo',
    tenant: '',
    dialect: 'a2a-1.0',
    binding: 'jsonrpc',
    semantics: {},
    extensions: [],
    principal: { id: 'key:alice', anonymous: false },
    hops: 0,
    signal: new AbortController().signal,
    notes: { extensions: new Set(), losses: new Set() },
  },
} as Call;

/** Calls between two looks at the clock. */
const batch = 1_000;

/**
 * Cost of policies per call: the step of the pipeline alone, in this process. In the CPU of a whole message, which the part
 * `features` measures, so small a cost is lost in the noise.
 */
export async function measurePolicies({ rounds, duration }: Settings): Promise<Measured> {
  const given = tenPolicies.map((policy) => ({ log: 'refused' as const, shadow: false, ...policy }));
  const ten = new Policies(compilePolicies(given).policies, {
    store: { findRecord: async () => undefined },
    audit: () => undefined,
    logger: silent,
    counts: new DecisionCounts(),
    agents: { get: () => undefined },
    revalidate: (same) => same,
    pathOf: () => [],
  });
  const answer = Promise.resolve({ value: {} }) as ReturnType<Invoke>;
  const next: Invoke = () => answer;
  const microseconds = (invoke: Invoke): number => {
    const samples: number[] = [];
    for (const end = performance.now() + duration; performance.now() < end; ) {
      const began = performance.now();
      for (let index = 0; index < batch; index++) void invoke(call);
      samples.push(((performance.now() - began) * 1_000) / batch);
    }
    return median(samples);
  };
  const judged = ten.intercept(next);
  // Both are compiled before they are measured.
  microseconds(judged);
  microseconds(next);
  const costs = Array.from({ length: rounds }, () => microseconds(judged) - microseconds(next));
  const cost = median(costs);
  return {
    figures: [{ scenario: 'policies', server: 'ten policies', 'µs of a call': rounded(cost) }],
    ratios: [ratio('ten policies: µs of a call', cost, '≤ 5')],
  };
}
