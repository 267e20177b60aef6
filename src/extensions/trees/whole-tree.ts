import type { AskGateway } from '../../core/model/agent.ts';
import { maxHops } from '../../core/model/call.ts';
import { A2AError } from '../../core/model/errors.ts';
import type { TaskOverview } from '../../core/ports/admin-store.ts';
import { api } from '../../gen/admin-v1/index.ts';
import type { FindTasksResponse, TaskSummary } from '../../gen/admin-v1/types.ts';
import { parseAs } from '../../wire/validate.ts';
import type { Host, Order } from '../host.ts';
import { summaryOf } from '../subjects.ts';
import { treePath } from './page.ts';
import { readQuestion, signQuestion, type TreeQuestion } from './path.ts';
import { rootName } from './trees.ts';

// A tree of calls over gateways: each asks the gateways that its agents in the tree call, and they ask theirs.

export interface TreeHost extends Pick<Host, 'active' | 'store' | 'hidesWords' | 'operators'> {
  readonly costs: (keys: readonly string[]) => Promise<ReadonlyMap<string, number>>;
}

/** Most tasks in an answer, over all gateways. */
const maxTasks = 500;
/** Most characters of the name of an order's author: the gateway and the principal. */
const maxName = 1_000;
/** Milliseconds in which all gateways must have answered. */
const answerTimeout = 8_000;
/** Milliseconds of this time that each gateway reserves for its own answer. */
const kept = 500;

/** Finds the tasks of a tree at this gateway, for its operators, and at the gateways below it. */
export async function findTree(host: TreeHost, root: string): Promise<FindTasksResponse> {
  const { gateway: own } = host.active.snapshot.config.limits.root;
  const { tasks = [], missing = [] } = await ask(host, { root, asked: [], left: answerTimeout });
  const keyAt = (gateway: string | undefined, key: string): string => (gateway === own ? key : `${gateway}/${key}`);
  const keys = new Map(tasks.map(({ gateway, id, key }) => [`${gateway}/${id}`, keyAt(gateway, key)]));
  const shown = tasks.map(({ gateway, parent = '', ...task }): TaskSummary => {
    const opener = keys.get(parent) ?? (parent && keyAt(gateway, parent));
    const key = keyAt(gateway, task.key);
    return { ...task, key, parent: opener, ...(gateway !== undefined && gateway !== own && { gateway }) };
  });
  return { tasks: shown, missing };
}

/** Passes an order to all other gateways of a tree. Resolves with descriptions of those that were not reached. */
export async function orderTree(host: TreeHost, root: string, { by, reason }: Order): Promise<string[]> {
  const { gateway, keys } = host.active.snapshot.config.limits.root;
  if (!gateway || !keys) return [];
  const stop = { by: `${gateway}/${by}`.slice(0, maxName), reason };
  try {
    return (await ask(host, { root, asked: [], left: answerTimeout, stop })).missing ?? [];
  } catch (thrown) {
    return [`Other gateways: ${A2AError.from(thrown).message}`];
  }
}

/** Answers a question of another gateway. Undefined: that gateway has no right to ask. */
export async function answerQuestion(host: TreeHost, signed: string): Promise<FindTasksResponse | undefined> {
  const { keys = [], gateway = '' } = host.active.snapshot.config.limits.root;
  const known = keys.map((key) => key.reveal());
  const question = readQuestion(signed, known, Date.now());
  // In a circle of gateways, this one has answered already.
  return question?.asked.includes(gateway) ? {} : question && ask(host, question);
}

async function ask(host: TreeHost, question: TreeQuestion): Promise<FindTasksResponse> {
  const { root, asked, left, stop } = question;
  const { config } = host.active.snapshot;
  const { keys: [signing] = [], gateway } = config.limits.root;
  const names = new Set([root, rootName(root, gateway ?? '')]);
  const rows = await tasksHere(host, names);
  if (stop !== undefined) await host.operators.order(stop.reason ? new Set(rows.map((row) => row.root)) : names, stop);
  const own = stop === undefined ? await summaries(host, rows) : [];
  if (!signing || !gateway) return { tasks: own };
  const next = { root: rootName(root, gateway), asked: [...asked, gateway], left: left - kept, stop };
  const signed = signQuestion(next, signing.reveal(), Date.now());
  // Of a larger tree, any agent may have tasks.
  const called = rows.length < maxTasks ? new Set(rows.map(({ agent }) => agent)) : host.active.agents.names;
  const answers = await Promise.all(
    [...called].flatMap((agent) =>
      (host.active.agents.get(agent)?.gateways?.() ?? []).map(async (other): Promise<FindTasksResponse> => {
        try {
          return await askOther(other, signed, next);
        } catch (thrown) {
          return { missing: [`What ${agent} at ${gateway} led to: ${A2AError.from(thrown).message}`] };
        }
      }),
    ),
  );
  // Several ways may lead to the same gateway.
  const found = new Map(
    [own, ...answers.map(({ tasks = [] }) => tasks)].flat().map((task) => [`${task.gateway}/${task.key}`, task]),
  );
  const missing = [
    ...answers.flatMap((answer) => answer.missing ?? []),
    ...(found.size > maxTasks ? [`Of the tasks that ${gateway} knows, ${maxTasks} are here`] : []),
  ];
  return { tasks: [...found.values()].slice(0, maxTasks), missing: [...new Set(missing)] };
}

async function summaries(
  { active, hidesWords, costs: costsOf }: TreeHost,
  rows: readonly TaskOverview[],
): Promise<TaskSummary[]> {
  const { gateway } = active.snapshot.config.limits.root;
  const costs = await costsOf(rows.map(({ key }) => key));
  const hidden = hidesWords();
  return rows.map((row) => {
    const cost = costs.get(row.key);
    return { ...summaryOf(row, hidden, cost === undefined ? {} : { cost }), ...(gateway && { gateway }) };
  });
}

/** Asks another gateway. Rejects with an A2AError. */
async function askOther(other: AskGateway, signed: string, { asked, left }: TreeQuestion): Promise<FindTasksResponse> {
  if (asked.length > maxHops) throw new A2AError('invalidRequest', `more than ${maxHops} gateways in a row`);
  if (left <= 0) throw new A2AError('upstreamTimeout', 'the time for the answer is over');
  const answer = await other(treePath, signed, left);
  if (answer === undefined) throw new A2AError('upstreamUnreachable', 'the gateway behind it does not answer');
  return parseAs<FindTasksResponse>(api, 'a2agateway.admin.v1.FindTasksResponse', answer);
}

/** @param names of the tree: one that began here has another name where it comes back */
async function tasksHere({ store }: TreeHost, names: Iterable<string>): Promise<TaskOverview[]> {
  const found: TaskOverview[] = [];
  for (const name of names) {
    for (let token = ''; found.length < maxTasks; ) {
      const { tasks, nextPageToken } = await store.searchTasks({ root: name }, maxTasks - found.length, token);
      found.push(...tasks);
      if (nextPageToken === '') break;
      token = nextPageToken;
    }
  }
  return found;
}
