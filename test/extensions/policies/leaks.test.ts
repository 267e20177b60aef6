import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { newKey } from '../../../src/auth/hash.ts';
import { A2AError, type Client, connect } from '../../../src/client/index.ts';
import { parseConfig } from '../../../src/config/parse.ts';
import { type Opened, openGateway } from '../../support/gateway.ts';
import { paced } from '../../support/pace.ts';
import { toolsAt } from '../mcp/client.ts';

/** Whatever policies refuse is refused in every way that there is to get it, and says nothing of what it is about. */

const alice = newKey();
const secret = 'the-secret-word';
const agents = ['demo', 'other'] as const;
const states = { hello: 'TASK_STATE_COMPLETED', fail: 'TASK_STATE_FAILED', ask: 'TASK_STATE_INPUT_REQUIRED' } as const;

/** Calls that match all that a rule names are refused, or wait for people. */
interface Rule {
  readonly operations?: readonly string[];
  readonly agent?: string;
  readonly caller?: string;
  readonly state?: string;
  /** `allow`: a refusal, written as what is allowed. */
  readonly effect: 'deny' | 'allow' | 'ask';
}

const conditionOf = ({ operations, agent, caller, state }: Rule): string =>
  [
    ...(operations ? [`operation in ${JSON.stringify(operations)}`] : []),
    ...(agent === undefined ? [] : [`agent == "${agent}"`]),
    ...(caller === undefined ? [] : [`caller.id == "${caller}"`]),
    ...(state === undefined ? [] : [`task.state == "${state}"`]),
    'true',
  ].join(' && ');

const matches = (rule: Rule, operation: string, agent: string, state = ''): boolean =>
  (rule.operations?.includes(operation) ?? true) &&
  (rule.agent ?? agent) === agent &&
  (rule.caller ?? 'key:alice') === 'key:alice' &&
  (rule.state ?? state) === state;

const refuses = (rules: readonly Rule[], ...call: [operation: string, agent: string, state?: string]): boolean =>
  rules.some((rule) => rule.effect !== 'ask' && matches(rule, ...call));

const settings = (port: number, rules: readonly Rule[]): string =>
  JSON.stringify({
    listen: { host: 'localhost', port },
    store: 'memory:',
    preview: [],
    auth: { apiKeys: [{ name: 'alice', hash: alice.hash }] },
    defaultAgent: 'demo',
    agents: { demo: { kind: 'reference' }, other: { kind: 'reference' } },
    outbound: { allow: ['localhost'] },
    policies: rules.map((rule, index) => {
      const condition = conditionOf(rule);
      // Of several, one that holds is enough: each is about what it refuses.
      const effects = {
        deny: { deny: condition },
        allow: { where: condition, allow: false },
        ask: { where: condition, ask: { of: ['alice'] } },
      };
      return { name: `rule-${index}`, ...effects[rule.effect] };
    }),
  });

const protocols = [
  ['a2a-1.0', 'jsonrpc'],
  ['a2a-1.0', 'rest'],
  ['a2a-1.0', 'grpc'],
  ['a2a-0.3', 'jsonrpc'],
] as const;

let opened: Opened;
const clients = new Map<string, Client>();
/** By agent and state. */
const tasks = new Map<string, string>();
beforeAll(async () => {
  opened = await openGateway(settings(0, []));
  for (const agent of agents) {
    for (const [as, via] of protocols) {
      const client = await connect(`${opened.url}/${agent}/as/${as}`, { as, via, apiKey: alice.key });
      clients.set(`${agent} ${as} ${via}`, client);
    }
    for (const [word, state] of Object.entries(states)) {
      const { task } = await (clients.get(`${agent} a2a-1.0 jsonrpc`) as Client).send({
        parts: [{ text: word }],
        metadata: { note: secret },
      });
      expect(task?.status.state).toBe(state);
      tasks.set(`${agent} ${state}`, task?.id ?? '');
    }
  }
});
afterAll(() => Promise.all([...clients.values()].map((client) => client.close())));

const operations = [
  ...['SendMessage', 'SendStreamingMessage', 'GetTask', 'ListTasks', 'SubscribeToTask', 'GetExtendedAgentCard'],
  ...['CreateTaskPushNotificationConfig', 'ListTaskPushNotificationConfigs', 'GetTaskPushNotificationConfig'],
];

const rule: fc.Arbitrary<Rule> = fc.record(
  {
    operations: fc.uniqueArray(fc.constantFrom(...operations), { minLength: 1, maxLength: 4 }),
    agent: fc.constantFrom(...agents),
    caller: fc.constantFrom('key:alice', 'key:bob'),
    state: fc.constantFrom(...Object.values(states)),
    effect: fc.constantFrom('deny', 'allow', 'ask'),
  },
  { requiredKeys: ['effect'] },
);

const message = (text: string) => ({ messageId: crypto.randomUUID(), role: 'ROLE_USER' as const, parts: [{ text }] });

/** Checks that a call is refused exactly when the rules refuse it; resolves with its result, if any. */
async function held<T>(isRefused: boolean, call: () => Promise<T>): Promise<T | undefined> {
  try {
    const result = await call();
    expect(isRefused).toBe(false);
    return result;
  } catch (thrown) {
    const error = A2AError.from(thrown);
    if (!(thrown instanceof A2AError)) throw thrown;
    expect(error.kind === 'permissionDenied').toBe(isRefused);
    if (isRefused) expect(JSON.stringify([error.message, error.details()])).not.toContain(secret);
    return undefined;
  }
}

it('a policy hides agents, or has their calls wait, over every binding, in lists, subscriptions, webhooks and cards', {
  timeout: paced(120_000),
}, async () => {
  const { port } = opened;
  await fc.assert(
    fc.asyncProperty(
      fc.array(rule, { minLength: 1, maxLength: 3 }),
      fc.constantFrom(...protocols),
      fc.constantFrom(...agents),
      fc.constantFrom(...tasks.keys().map((key) => key.split(' ')[1] as string)),
      async (rules, [as, via], agent, state) => {
        await opened.gateway.reload(parseConfig(settings(port, rules), { file: '/gateway.yaml' }));
        const client = clients.get(`${agent} ${as} ${via}`) as Client;
        const taskId = tasks.get(`${agent} ${state}`) ?? '';
        const refused = (operation: string, of = ''): boolean => refuses(rules, operation, agent, of);
        const webhook = { taskId, url: 'http://localhost:9/hook' };

        await held(refused('GetTask', state), () => client.getTask({ id: taskId }));
        await held(refused('SubscribeToTask', state), async () => {
          const events = client.stream('SubscribeToTask', { id: taskId })[Symbol.asyncIterator]();
          await events.next();
          await events.return?.();
        });
        const sent = await held(refused('SendMessage'), () =>
          client.call('SendMessage', { message: message('hello') }),
        );
        const waits = rules.some((each) => each.effect === 'ask' && matches(each, 'SendMessage', agent));
        expect(sent?.task?.status.state).toBe(sent && (waits ? 'TASK_STATE_AUTH_REQUIRED' : states.hello));
        expect((sent?.task?.artifacts ?? []).length).toBe(sent && !waits ? 1 : 0);
        const create = 'CreateTaskPushNotificationConfig';
        await held(refused(create, state), () => client.call(create, webhook));
        await held(refused('ListTaskPushNotificationConfigs', state), () =>
          client.call('ListTaskPushNotificationConfigs', { taskId }),
        );
        await held(refused('SendMessage') || refused(create), () =>
          client.call('SendMessage', {
            message: message('hello'),
            configuration: { taskPushNotificationConfig: { ...webhook, taskId: '' } },
          }),
        );
        await held(refused('GetExtendedAgentCard'), () => client.call('GetExtendedAgentCard', {}));
        if (as === 'a2a-1.0') {
          const list = await held(refused('ListTasks'), () => client.listTasks({ pageSize: 100 }));
          const isHidden = ({ status }: { status: { state: string } }): boolean =>
            rules.some((each) => each.state !== undefined) && refused('GetTask', status.state);
          expect(list?.tasks.filter(isHidden) ?? []).toEqual([]);
          if (rules.some((each) => each.state !== undefined) && list) expect(list.totalSize).toBe(list.tasks.length);
        }
      },
    ),
    {
      numRuns: 20,
      examples: [
        [[{ operations: ['CreateTaskPushNotificationConfig'], effect: 'deny' }], protocols[0], 'demo', states.ask],
        [[{ effect: 'ask' }], protocols[3], 'other', states.hello],
      ],
    },
  );
});

it('a policy hides tools in the list of tools, and in their results', { timeout: paced(120_000) }, async () => {
  const { port } = opened;
  await fc.assert(
    fc.asyncProperty(fc.array(rule, { minLength: 1, maxLength: 2 }), async (rules) => {
      await opened.gateway.reload(parseConfig(settings(port, rules), { file: '/gateway.yaml' }));
      const headers = { 'X-API-Key': alice.key };
      const { names, call, client } = await toolsAt(`${opened.url}/mcp`, { requestInit: { headers } });
      const listed = await names();
      // Rules about the state of a task cannot apply before there is a task.
      const known = rules.filter(({ state }) => state === undefined);
      for (const agent of agents) expect(listed.includes(`${agent}__echo`)).toBe(!refuses(known, 'SendMessage', agent));
      for (const agent of agents) {
        const task_id = tasks.get(`${agent} ${states.fail}`);
        if (!refuses(rules, 'GetTask', agent, states.fail) || !listed.includes('get_task')) continue;
        const { result, text } = await call('get_task', { agent, task_id });
        expect(result.isError).toBe(true);
        expect(text).not.toContain(secret);
      }
      await client.close();
    }),
    { numRuns: 8 },
  );
});
