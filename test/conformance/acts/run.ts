import { parse } from './client.ts';
import { type Binding, bindings, type Test } from './read.ts';
import { needsAuthentication, specials, taskOfOther } from './special.ts';
import { runSteps, StepFailed, type Sut } from './steps.ts';
import { openServer, type Server, type Target } from './targets.ts';
import { answerOf } from './transports/http.ts';
import { transports } from './transports/index.ts';
import { jsonOf } from './transports/transport.ts';
import { isMap, NotUnderstood, type Value, type Variables } from './values.ts';
import { openWebhooks, type Webhook, type Webhooks } from './webhooks.ts';

/** The result of a test. An `error` is the runner's: it did not understand the test, or broke. */
export interface Result {
  readonly test: Test;
  readonly result: 'pass' | 'fail' | 'skip' | 'error';
  readonly reason?: string;
}

/** One row of the matrix: a target over a binding. */
export interface Row {
  /** Such as `direct grpc auth`. */
  readonly name: string;
  readonly target: Target;
  readonly binding: Binding;
  readonly hasAuthentication: boolean;
}

export const rowsOf = (targets: readonly Target[]): Row[] =>
  targets.flatMap((target) =>
    bindings.flatMap((binding) =>
      [false, true].map((hasAuthentication) => ({
        name: `${target.name} ${binding}${hasAuthentication ? ' auth' : ''}`,
        target,
        binding,
        hasAuthentication,
      })),
    ),
  );

/** The number of tests that run at the same time; most of their time is waiting. */
const width = 12;

/** Milliseconds for one test. */
const timeoutMs = 90_000;

/** Whether a test is one of clients, which needs no server. */
export const isOfClients = ({ steps }: Test): boolean => steps.some((step) => 'client_response' in step);

/** Runs the tests of a row. @param copy a copy of the specification's repository */
export async function runRow(
  { target, binding, hasAuthentication }: Row,
  tests: readonly Test[],
  copy?: string,
): Promise<Result[]> {
  const server = await openServer(target, hasAuthentication, copy);
  const webhooks = await openWebhooks();
  const credentials = await server.credentialsOf('runner');
  const endpoint = { origin: server.origin, headers: { ...credentials, 'A2A-Version': '1.0' } };
  const transport = transports[binding](endpoint);
  const sut: Sut = { origin: server.origin, credentials, transport, parse };
  try {
    const card = await readCard(sut);
    const shared = await variablesOf(server);
    return await inParallel(tests, (test) => runTest(test, { sut, server, card, shared, webhooks }));
  } finally {
    transport.close();
    await webhooks.close();
    await server.close();
  }
}

/** Runs the tests of clients. */
export const runClients = (tests: readonly Test[]): Promise<Result[]> =>
  inParallel(tests, (test) => judged(test, () => runClientTest(test)));

async function runClientTest(test: Test): Promise<undefined> {
  const sut = { origin: '', credentials: {}, transport: undefined as never, parse };
  const records = await runSteps(test, sut, new Map());
  await check(test, { sut, server: undefined as never, records, webhook: undefined as never });
}

async function inParallel(tests: readonly Test[], run: (test: Test) => Promise<Result>): Promise<Result[]> {
  const results = new Map<Test, Result>();
  const waiting = [...tests];
  const worker = async (): Promise<void> => {
    for (let test = waiting.shift(); test; test = waiting.shift()) results.set(test, await run(test));
  };
  await Promise.all(Array.from({ length: width }, worker));
  return tests.map((test) => results.get(test) as Result);
}

interface Context {
  readonly sut: Sut;
  readonly server: Server;
  readonly card: Value;
  readonly shared: Readonly<Record<string, Value>>;
  readonly webhooks: Webhooks;
}

function runTest(test: Test, context: Context): Promise<Result> {
  return judged(test, async () => {
    const reason = skipped(test, context);
    if (reason !== undefined) return reason;
    const { sut, server, shared, webhooks } = context;
    const webhook: Webhook = webhooks.open();
    const variables: Variables = new Map(Object.entries({ ...test.variables, ...shared, webhookUrl: webhook.url }));
    const records = await runSteps(test, sut, variables);
    await check(test, { sut, server, records, webhook });
    return undefined;
  });
}

/** The result of running a test, which returns why it was skipped. */
async function judged(test: Test, run: () => Promise<string | undefined>): Promise<Result> {
  if (test.problem !== undefined) return { test, result: 'error', reason: test.problem };
  try {
    const skip = await withinTime(run());
    return skip === undefined ? { test, result: 'pass' } : { test, result: 'skip', reason: skip };
  } catch (thrown) {
    const reason = thrown instanceof Error ? thrown.message : String(thrown);
    if (thrown instanceof StepFailed) return { test, result: 'fail', reason: `${thrown.step}: ${reason}` };
    if (thrown instanceof CheckFailed) return { test, result: 'fail', reason };
    const what = thrown instanceof NotUnderstood ? 'not understood: ' : '';
    return { test, result: 'error', reason: `${what}${reason}` };
  }
}

async function withinTime<T>(running: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new StepFailed('the test', `no end after ${timeoutMs} ms`)), timeoutMs);
  });
  try {
    return await Promise.race([running, late]);
  } finally {
    clearTimeout(timer);
  }
}

class CheckFailed extends Error {}

/** Runs the checks that the runner makes in addition to the steps. */
async function check(test: Test, special: Parameters<NonNullable<ReturnType<typeof specials.get>>>[0]): Promise<void> {
  const more = specials.get(test.id);
  if (more === undefined) {
    const needsMore = test.tags.includes('runner-special') || test.tags.includes('schema-validation');
    if (needsMore) throw new NotUnderstood('the test asks more of the runner than its steps say');
    return;
  }
  try {
    await more(special);
  } catch (thrown) {
    throw new CheckFailed(thrown instanceof Error ? thrown.message : String(thrown));
  }
}

/** Why a test does not apply. */
function skipped({ id, transport, capabilities, steps }: Test, { sut, server, card }: Context): string | undefined {
  const { binding } = sut.transport;
  if (!transport.includes(binding)) return `it is for ${transport.join(', ')}`;
  const { authentication, ...others } = capabilities;
  if (authentication === true && !server.hasAuthentication) return 'the server has no authentication';
  if (needsAuthentication.has(id) && !server.hasAuthentication) return 'the server has no authentication';
  const offered = isMap(card) && isMap(card.capabilities) ? card.capabilities : {};
  // A2A 1.0, section 3.3.4: without the capability these are refused, which files do not name as their precondition.
  if (offered.streaming !== true && steps.some((step) => 'expect_stream' in step)) return 'the card offers no streams';
  const unmet = Object.entries(others).find(([name, wanted]) => (offered[name] ?? false) !== wanted);
  return unmet && `the card's capability ${unmet[0]} is not ${unmet[1]}`;
}

async function readCard({ origin, credentials }: Sut): Promise<Value> {
  const answer = await answerOf(`${origin}/.well-known/agent-card.json`, {
    method: 'GET',
    headers: { ...credentials },
  });
  const card = jsonOf(await answer.text());
  if (!isMap(card)) throw new Error(`no agent card: HTTP ${answer.status}`);
  return card;
}

/** The variables that files leave to the runner. */
async function variablesOf(server: Server): Promise<Readonly<Record<string, Value>>> {
  const { origin, hasAuthentication, credentialsOf } = server;
  const own = { SUT_BASE_URL: origin, baseUrl: origin };
  if (!hasAuthentication) return own;
  const { Authorization = '' } = await credentialsOf('limited');
  return { ...own, insufficientAuthToken: Authorization.slice(7), otherUserTaskId: await taskOfOther(server) };
}
