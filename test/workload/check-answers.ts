import { A2AError } from '../../src/client/index.ts';
import { canonicalTask } from './canonical.ts';
import type { Violation } from './check-logs.ts';
import { type Callee, type Clients, type Face, isPassing, modern } from './clients.ts';
import { type Logs, type StoredLog, taskAt } from './logs.ts';

/** Tasks that are asked for at a time. */
const atOnce = 16;

/** Milliseconds that one attempt may take, and all of them: a connection whose other side is gone is given up after a while. */
const timeouts = { attempt: 10_000, total: 60_000 } as const;

/** Pages that a list has at least, where it has as many tasks. */
const pages = 4;

/** The caller that a task belongs to. */
type CallerOf = (task: StoredLog) => string | undefined;

/** Every gateway, by every binding, answers for every task with what its log comes to; and lists all of them. */
export async function checkAnswers(
  clients: Clients,
  gateways: number,
  logs: Logs,
  callerOf: CallerOf = () => undefined,
): Promise<Violation[]> {
  const found: Violation[] = [];
  const waiting = logs.tasks.map((task, i) => ({
    task,
    gateway: i % gateways,
    face: modern[i % modern.length] as Face,
  }));
  const worker = async (): Promise<void> => {
    for (let next = waiting.pop(); next; next = waiting.pop()) {
      const { task, gateway, face } = next;
      const what = await persist(() =>
        differs(clients, gateway, { agent: task.agent, face, caller: callerOf(task) }, task),
      ).catch((thrown: unknown) => String(thrown));
      if (what !== undefined) found.push({ what: `gateway ${gateway} by ${face.via}: ${what}`, task });
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  for (let gateway = 0; gateway < gateways; gateway += 1) {
    found.push(...(await missingFromLists(clients, gateway, logs, callerOf)));
  }
  return found;
}

/** A client that was refused a connection, when the gateway was down, tries again only after a while. */
async function persist<T>(call: () => Promise<T>): Promise<T> {
  for (const until = Date.now() + timeouts.total; ; ) {
    try {
      return await call();
    } catch (thrown) {
      if (!isPassing(A2AError.from(thrown)) || Date.now() > until) throw thrown;
      await new Promise((resolve) => setTimeout(resolve, 250));
    }
  }
}

async function differs(
  clients: Clients,
  gateway: number,
  callee: Callee,
  task: StoredLog,
): Promise<string | undefined> {
  const signal = AbortSignal.timeout(timeouts.attempt);
  const client = await clients.at(gateway, callee, signal);
  const answer = await client.getTask({ id: task.id }, { signal });
  return canonicalTask(answer) === canonicalTask(taskAt(task.log, task.seq))
    ? undefined
    : `it answers with another task than the log comes to: ${JSON.stringify(answer)}`;
}

async function missingFromLists(
  clients: Clients,
  gateway: number,
  logs: Logs,
  callerOf: CallerOf,
): Promise<Violation[]> {
  const found: Violation[] = [];
  const lists = Map.groupBy(logs.tasks, (task) => `${task.agent} ${callerOf(task) ?? ''}`);
  for (const tasks of lists.values()) {
    const [first] = tasks as [StoredLog];
    const { agent } = first;
    const caller = callerOf(first);
    const expected = tasks.map(({ id }) => id);
    const listed: string[] = [];
    // Several pages, however few tasks there are.
    const pageSize = Math.min(100, Math.ceil(expected.length / pages));
    let pageToken = '';
    do {
      const token = pageToken;
      const page = await persist(async () => {
        const signal = AbortSignal.timeout(timeouts.attempt);
        const client = await clients.at(gateway, { agent, caller, face: modern[0] as Face }, signal);
        return client.listTasks({ pageSize, pageToken: token }, { signal });
      });
      listed.push(...page.tasks.map(({ id }) => id));
      pageToken = page.nextPageToken;
    } while (pageToken !== '');
    const missing = expected.filter((id) => !listed.includes(id));
    if (missing.length > 0) found.push({ what: `gateway ${gateway} does not list ${missing.join(', ')}` });
    if (listed.length !== new Set(listed).size)
      found.push({ what: `gateway ${gateway} lists tasks of ${agent} twice` });
  }
  return found;
}
