import type { AskGateway } from '../../core/model/agent.ts';
import { maxHops, treePath } from '../../core/model/call.ts';
import { A2AError } from '../../core/model/errors.ts';
import type { TaskOverview } from '../../core/ports/admin-store.ts';
import type { Store } from '../../core/ports/store.ts';
import type { TreeOrder } from '../../extensions/host.ts';
import { summaryOf } from '../../extensions/subjects.ts';
import { api } from '../../gen/admin-v1/index.ts';
import type { FindTasksResponse, TaskSummary } from '../../gen/admin-v1/types.ts';
import { parseAs } from '../../wire/validate.ts';
import type { ActiveConfig } from '../reload/active-config.ts';
import { readQuestion, signQuestion, type TreeQuestion } from '../trees/path.ts';
import { rootName } from '../trees/trees.ts';

// A tree of calls over gateways: each asks the gateways that its agents in the tree call, and they ask theirs.

export interface TreeHost {
  readonly active: ActiveConfig;
  readonly store: Store;
  /** Whether lists are without what messages and agents say. */
  readonly hidesWords: () => boolean;
  /** Carries out an order about the trees with these roots at this gateway. */
  readonly onOrder: (roots: Iterable<string>, order: TreeOrder) => Promise<void>;
}

/** Tasks of all gateways. */
const maxTasks = 500;
/** Characters of who has stopped a tree: the gateway and the principal. */
const maxName = 1_000;
/** Milliseconds for the answers of all gateways, and those of them that each keeps for its own. */
const [patience, kept] = [8_000, 500];

/** The tasks of a tree at this gateway, as its operators know them, and at those below it. */
export async function findTree(host: TreeHost, root: string): Promise<FindTasksResponse> {
  const { gateway: own } = host.active.snapshot.config.limits.root;
  const { tasks = [], missing = [] } = await ask(host, { root, asked: [], left: patience });
  const keyAt = (gateway: string | undefined, key: string): string => (gateway === own ? key : `${gateway}/${key}`);
  const keys = new Map(tasks.map(({ gateway, id, key }) => [`${gateway}/${id}`, keyAt(gateway, key)]));
  const shown = tasks.map(({ gateway, parent = '', ...task }): TaskSummary => {
    const opener = keys.get(parent) ?? (parent && keyAt(gateway, parent));
    const key = keyAt(gateway, task.key);
    return { ...task, key, parent: opener, ...(gateway !== undefined && gateway !== own && { gateway }) };
  });
  return { tasks: shown, missing };
}

/** Has all gateways of a tree but this one carry out an order. Resolves with what was not reached, and why. */
export async function orderTree(host: TreeHost, root: string, { by, reason }: TreeOrder): Promise<string[]> {
  const { gateway, keys } = host.active.snapshot.config.limits.root;
  if (!gateway || !keys) return [];
  const stop = { by: `${gateway}/${by}`.slice(0, maxName), reason };
  try {
    return (await ask(host, { root, asked: [], left: patience, stop })).missing ?? [];
  } catch (thrown) {
    return [`Other gateways: ${A2AError.from(thrown).message}`];
  }
}

/** Answers another gateway. Undefined: it has no right to ask. */
export async function answerQuestion(host: TreeHost, signed: string): Promise<FindTasksResponse | undefined> {
  const { keys = [], gateway = '' } = host.active.snapshot.config.limits.root;
  const known = keys.map((key) => key.reveal());
  const question = readQuestion(signed, known, Date.now());
  // A circle: this gateway has answered already.
  return question?.asked.includes(gateway) ? {} : question && ask(host, question);
}

async function ask(host: TreeHost, question: TreeQuestion): Promise<FindTasksResponse> {
  const { root, asked, left, stop } = question;
  const { config, agents } = host.active.snapshot;
  const { keys: [signing] = [], gateway } = config.limits.root;
  const names = new Set([root, rootName(root, gateway ?? '')]);
  const rows = await tasksHere(host, names);
  if (stop !== undefined) await host.onOrder(stop.reason ? new Set(rows.map((row) => row.root)) : names, stop);
  const own = stop === undefined ? await summaries(host, rows) : [];
  if (!signing || !gateway) return { tasks: own };
  const next = { root: rootName(root, gateway), asked: [...asked, gateway], left: left - kept, stop };
  const signed = signQuestion(next, signing.reveal(), Date.now());
  // Of a larger tree, any agent may have tasks.
  const called = rows.length < maxTasks ? new Set(rows.map(({ agent }) => agent)) : host.active.agents.names;
  const answers = await Promise.all(
    [...called].flatMap((agent) =>
      (agents.directory.get(agent)?.gateways?.() ?? []).map(async (other): Promise<FindTasksResponse> => {
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

async function summaries({ active, hidesWords }: TreeHost, rows: readonly TaskOverview[]): Promise<TaskSummary[]> {
  const { config, trees } = active.snapshot;
  const { gateway } = config.limits.root;
  const costs = await trees?.costs(rows.map(({ key }) => key));
  const hidden = hidesWords();
  return rows.map((row) => ({ ...summaryOf(row, hidden, costs?.get(row.key)), ...(gateway && { gateway }) }));
}

/** Rejects with an A2AError. */
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
